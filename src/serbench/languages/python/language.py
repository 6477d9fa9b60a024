"""Python, as the code for all languages sees it: pip brings libraries; the runner is in Python too."""

from __future__ import annotations

from collections.abc import Sequence

from serbench.codecs.codec import Codec
from serbench.codecs.traits import Traits, Typical
from serbench.languages.base import BuildOrder, Toolchain, of_editions
from serbench.languages.language import Language
from serbench.languages.python.build import PythonBuild
from serbench.languages.python.crosscheck import SAMPLER
from serbench.languages.python.engines import SETTINGS
from serbench.languages.python.options import VARIANT_KEYS, PipOptions
from serbench.languages.python.versions import PipVersions


class Python(Language):
    """The language Python, with CPython and pip."""

    traits = Traits(
        "Python",
        shares_texts=True,
        interpreted=True,
        ordered_maps=True,
        no_figure={
            "instructions": (
                "hashes and addresses of objects are others in each process, so that two of them do not do "
                "the same"
            ),
        },
        typical=Typical(
            ready_s=15,
            again_s=3,
            build_s=1.5,
            verify_s=1.5,
            pass_ns=60,
            made_ns=100,
            resident=12,
            start_s=0.11,
            weigh_s=0.1,
        ),
    )
    table = "pip"
    options = PipOptions
    variant_keys = VARIANT_KEYS
    glue_file = "glue.py"
    codec_files = ("adapter.py",)
    settings = SETTINGS
    versions = PipVersions()
    other_sampler = SAMPLER

    def how_to_get(self, codec: Codec) -> str:
        return f"pip brings it when there is a network and a wheel for this machine; see {codec.homepage}"

    def toolchains(self, order: BuildOrder) -> Sequence[Toolchain]:
        return of_editions(PythonBuild(order.paths, order.codecs, order.workloads), order)


LANGUAGE = Python()
