"""Files of runs on their way into a site: results, environments, samples."""

from __future__ import annotations

import zlib

from perftrack._version import __version__
from perftrack.publish import addresses
from perftrack.publish.catalogue import Catalogue
from perftrack.publish.evidence import PointEvidence
from perftrack.publish.gather import History, HistorySource
from perftrack.publish.packer import Packer
from perftrack.publish.packing import FORMAT
from perftrack.publish.rawsamples import raw_samples
from perftrack.publish.runs import RunFiles, environment_files, newest_sampled, sample_file
from perftrack.publish.write import SiteWriter


def add_runs(
    site: SiteWriter,
    packer: Packer,
    history: History,
    source: HistorySource,
    numbers: Catalogue,
    evidence: PointEvidence,
    samples: int,
) -> None:
    """`samples`: of how many of the newest runs samples are shown."""
    details = source.details()
    sampled = newest_sampled(history, details, samples)
    for path, file in RunFiles(history, numbers, evidence, details).files(sampled):
        packer.add(path, file)
    for path, file in environment_files(details):
        packer.add(path, file)
    keys = {(addresses.case_key(s.case), s.metric): addresses.series_key(s) for s in history.series}
    for run_id in sorted(sampled):
        shown, raw = addresses.sample_data(run_id), addresses.raw_samples(run_id)
        # What a run measured never changes, so its samples are read once.
        signature = f"{FORMAT} {__version__} {zlib.ZLIB_RUNTIME_VERSION} {history.project.name}"
        if not (site.keep(shown, signature) and site.keep(raw, signature)):
            run = source.run(run_id)
            if shown not in site:
                site.add(shown, sample_file(run, keys).script(), signature)
            site.add(raw, raw_samples(run, run_id, history.project.name), signature)
