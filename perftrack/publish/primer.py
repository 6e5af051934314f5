"""Text that most data files have in common: what their documents repeat of it takes next to no room.

Every stream of a packed file goes on from the primer, as one that had begun with it would (RFC 1951, section 2: a
distance may reach back over blocks). A reader puts it before the stream, as a stored block (section 3.2.4), and
leaves it out of what comes of it. `site/static/app/core.js` has the same text.
"""

from __future__ import annotations

# What is most frequent comes last, where distances are short.
PRIMER = (
    '["throttled while measuring: "]["no clock evidence: "]["the working tree had uncommitted changes"][['
    '"clocks locked and verified: range  MHz over all windows"],["clocks-locked"]]few-processes process(e'
    "s); tier A needs at least interval-too-wide the interval includes both no change and a change of  %;"
    " an effect of  % would be detected 4 times in 5 not significant among  comparisons (Benjamini-Hochbe"
    "rg, q = 0.05) against  process(es), and fewer than 6 runs to learn the lane's noise from: record bot"
    "h with --processes 4 or more, or compare --liveworse by better by  %, interval excludes 0, threshold"
    ' interval lies inside ±2 %clocks were free to move"failed"skipped"regression"improvement"unchanged"d'
    'uration_p50","higher","limitations":[],"notes":[[["clocks were not locked"],["clocks were free to mo'
    've"],["clocks-floating"]]],"outputs":{},"rows":,"samples":false,"settings":[],"version":"0.1.0"}{"co'
    'lumns":[["series",1],["facet",0],["step",0],["value",2],["width",1],["skew",0],["code",0],["processe'
    's",1],["spread",2]],"duration":" min  s","environments":[["",[0]]],"host":"","id":"","label":"",{"br'
    'eaks":[],"changes":[],"columns":[["run",1],["facet",0],["step",0],["value",2],["width",1],["skew",0]'
    '],"commits":,"dir":"lower","epochs":[],"facets":[["ok","A",0,0,1],["ok","B",0,0,1]],"failed":0,"limi'
    'ts":[],"metric":"time","name":"","notes":[[[],[],[]]],"page":{"cases":1,"entries":{"direction":["low'
    'er"],"given":[[]],"hi":[0.0],"key":[""],"lane":[0],"latest":[" ms ±  %"],"lo":[0.0],"metric":["time"'
    '],"params":[""],"run":[],"share":[null],"share_of":[""],"spark":[""],"status":["ok"],"tier":["B"],"u'
    'nit":["s"],"value":[0.0],"verdict":["inconclusive"],"why":[""]},"metrics":["time"],"name":"","source'
    '":"benchmarks/bench_.py:","tags":[],"threshold":null},"ref":[,"rows":,"total":,"unit":"s"}'
).encode()
