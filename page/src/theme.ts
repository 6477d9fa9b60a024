// Light or dark: as the system has it, until somebody chooses.

import { h } from "./dom";

const KEY = "serbench-theme";

type Theme = "" | "light" | "dark";

/** Pages that open from disk may be refused a store. */
function stored(): Theme {
  try {
    const told = localStorage.getItem(KEY);
    return told === "light" || told === "dark" ? told : "";
  } catch {
    return "";
  }
}

function store(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // then it lasts as long as the page is open
  }
}

/** A button that turns the theme; `changed` is called whenever colours are others. */
export function themeButton(changed: () => void): HTMLElement {
  const system = matchMedia("(prefers-color-scheme: dark)");
  let theme = stored();
  const isDark = (): boolean => (theme ? theme === "dark" : system.matches);
  const button = h("button", { type: "button", id: "theme" });
  const show = (): void => {
    document.documentElement.dataset.theme = isDark() ? "dark" : "light";
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `switch to the ${isDark() ? "light" : "dark"} theme`);
  };
  button.addEventListener("click", () => {
    theme = isDark() ? "light" : "dark";
    store(theme);
    show();
    changed();
  });
  system.addEventListener("change", () => {
    show();
    changed();
  });
  show();
  return button;
}
