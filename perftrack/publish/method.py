"""The method page: the words, tiers and verdicts of this site, with the limits taken from the code."""

from __future__ import annotations

from perftrack.core.ceiling import Definition
from perftrack.core.discoveries import FALSE_DISCOVERY_RATE
from perftrack.core.judgement import Verdict
from perftrack.core.reasons import REASONS
from perftrack.core.tiers import TIER_A_PROCESSES, TIER_A_RANGE_MHZ, TIER_C_CV_PCT
from perftrack.core.verdict import CONFIDENCE, DEFAULT_THRESHOLD
from perftrack.publish import addresses
from perftrack.publish.context import frame
from perftrack.publish.gather import History
from perftrack.publish.pages import MethodPage, Term
from perftrack.publish.repeats import Repeats, told

_GLOSSARY = (
    ("benchmark", "Something named that is measured: a Python callable or a command, with parameters."),
    ("case", "A benchmark with one value for each of its parameters."),
    (
        "metric",
        "What is read from a case: its time, a counter, any number it returns. Has a unit and a better direction.",
    ),
    ("sample", "One timed repetition: the mean over a fixed number of calls made back to back."),
    ("window", "Samples taken one after the other without a pause."),
    (
        "process",
        "A worker started afresh. Its windows share memory layout, clocks and heat; another process has its own.",
    ),
    (
        "measurement",
        "Every sample of one metric of one case in one run, with value, interval, tier and reasons.",
    ),
    ("run", "One recording of one commit in one environment. Never changed once it is stored."),
    (
        "fingerprint",
        "What identifies an environment. Key fields must be equal to compare; context fields are only shown.",
    ),
    ("lane", "The results of a case that share a fingerprint and a protocol. A trend line stays in its lane."),
    ("baseline, candidate", "The two sides of a comparison: the commit before, and the commit in question."),
    (
        "ceiling",
        "A measured hardware limit. Results that declare flops or bytes are a share of it, and refused beyond it.",
    ),
    (
        "change",
        "Candidate over baseline of the metric itself: +5 % of a time is slower, +5 % of a throughput is faster.",
    ),
    ("threshold", "The smallest change that is worth calling one; a benchmark can declare its own."),
)

_VERDICTS = {
    Verdict.REGRESSION: "The threshold is reached on the worse side, and the whole interval is on that side.",
    Verdict.IMPROVEMENT: "The mirror image: the threshold is reached and the interval lies on the better side.",
    Verdict.UNCHANGED: "The whole interval is within the threshold around zero: equal as far as anyone asked.",
    Verdict.INCONCLUSIVE: "Where every judgement starts, and where it stays without evidence to go further.",
    Verdict.NOT_COMPARABLE: "The sides are in different lanes, or one was not measured. What differs is named.",
    Verdict.FAILED: "The benchmark failed on the candidate. A failure is never read as fast or slow.",
}

_FIRST_OF_VERDICTS = "effect-above-threshold"
_LAST_OF_VERDICTS = "lane-noise"
_LAST_OF_CEILINGS = "not-steady"


def method_page(history: History, base_url: str | None, again: Repeats | None = None) -> MethodPage:
    """`again`: what is known of commits that were measured more than once."""
    return MethodPage(
        frame=frame(history, addresses.METHOD, "Method", "method", base_url),
        glossary=tuple(Term(name, meaning) for name, meaning in _GLOSSARY),
        tiers=_tiers(),
        verdicts=tuple(Term(v.value, meaning) for v, meaning in _VERDICTS.items()),
        ceilings=_ceilings(),
        reason_groups=_reason_groups(),
        facts=_facts(),
        repeats=tuple(Term(name, text) for name, text in told(again)),
    )


def _ceilings() -> tuple[Term, ...]:
    """The definitions as the results carry them, by the name of each."""
    return tuple(Term(d.value, f"{d.sentence[0].upper()}{d.sentence[1:]}.") for d in Definition)


def _tiers() -> tuple[Term, ...]:
    return (
        Term(
            "A",
            f"Clocks were locked and telemetry confirms it: at most {TIER_A_RANGE_MHZ:g} MHz of movement over all "
            f"windows, at least {TIER_A_PROCESSES} processes, nothing else on the device, every key field of the "
            "environment known.",
        ),
        Term(
            "B",
            "Clocks were free, or part of the evidence for A is missing. "
            "What varied was measured and is in the interval.",
        ),
        Term(
            "C",
            f"The device throttled, was shared, or its clock varied by more than {TIER_C_CV_PCT:g} % within a "
            "window. The number is shown; no verdict is given on it.",
        ),
    )


def _facts() -> tuple[Term, ...]:
    confidence = f"{100 * CONFIDENCE:g} %"
    return (
        Term(
            "Intervals",
            f"± is half of a {confidence} prediction interval: where the median of one more fresh process is "
            "expected. It is taken over the highest level that varies, processes before windows before samples, "
            "on the logarithms of positive values.",
        ),
        Term(
            "Changes",
            f"A change has a {confidence} interval from the process values of both sides. Two runs taken apart "
            "differ a little with nothing changed; once a lane has a history, that spread is in the interval too.",
        ),
        Term(
            "Threshold", f"{100 * DEFAULT_THRESHOLD:g} % unless the benchmark or the configuration sets another."
        ),
        Term(
            "Many cases at once",
            "Among many comparisons some look significant by chance. The expected share of false ones among all "
            f"changes reported is held at {100 * FALSE_DISCOVERY_RATE:g} % (Benjamini-Hochberg).",
        ),
    )


def _reason_groups() -> tuple[tuple[str, tuple[Term, ...]], ...]:
    """Every code of core.reasons; its table lists tiers, then verdicts, ceilings and limitations."""
    terms = [Term(code, _blanks(sentence)) for code, sentence in REASONS.items()]
    codes = list(REASONS)
    verdicts, ceilings = codes.index(_FIRST_OF_VERDICTS), codes.index(_LAST_OF_VERDICTS) + 1
    limitations = codes.index(_LAST_OF_CEILINGS) + 1
    return (
        ("Tiers", tuple(terms[:verdicts])),
        ("Verdicts", tuple(terms[verdicts:ceilings])),
        ("Ceilings", tuple(terms[ceilings:limitations])),
        ("Limitations: what a result does not show", tuple(terms[limitations:])),
    )


def _blanks(sentence: str) -> str:
    """A reason's sentence with an ellipsis for each blank: `{cv_pct:.1f} %` reads `… %`."""
    if sentence.startswith("{") and sentence.endswith("}") and sentence.count("{") == 1:
        return "names what was found"
    text, rest = "", sentence
    while "{" in rest:
        before, _, after = rest.partition("{")
        text, rest = f"{text}{before}…", after.partition("}")[2]
    return text + rest
