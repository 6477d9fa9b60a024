// Browsers start no worker for a page that was opened from disk. The search then runs in a hidden frame, by the same messages.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.documentElement.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inside.importScripts = (...urls) => Promise.all(urls.map((each) => load(inside.document, each)));
      this.inside = load(inside.document, url).then(() => inside);
    }

    postMessage(data) {
      this.inside.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };

  const load = (page, url) =>
    new Promise((loaded, failed) => {
      const script = page.createElement("script");
      Object.assign(script, { src: url, onload: loaded, onerror: failed });
      page.documentElement.append(script);
    });
}
