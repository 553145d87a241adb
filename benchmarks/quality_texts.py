"""The texts of docs/quality.md."""

INTRO = """\
Ranking quality, measured on labelled public collections. One command repeats the measurement:

```
make quality COLLECTIONS="path/to/collections/*"
```

The collections are not part of this repository. `waymeet eval --help` describes their format, and `waymeet eval --mine`
measures on your own project ([Measure your own project](mine.md)). Waymeet was developed with these collections, so
results on other collections of the same kinds may be lower; *Weights tuned without a collection* estimates by how
much. The whole run takes about two hours on two cores, half of them to embed. `WITHOUT=django` leaves out the project
with the most sections, which take 30 minutes of it. The tables below were made by these commands in pieces, side by
side: the rows of debfaq-en2ja-dev, debfaq-en2zh-dev, xquad-mixed-dev and ub-peer come from a second run, after a
correction of the ranking that concerns only such collections, and those of Django from a third one."""

COLUMNS = """\
`plain` is BM25 over whole documents, without sections, links and models. `auto` is the default recipe, and `auto:words`
is `auto` without embedding models. The others are recipes after other systems ([How results are ranked](ranking.md)),
with the same models. `deep` had no reranker and no model that rephrases queries. `files` ranks names and vectors of
files. `neighbours` returns at most five results. Documents are indexed like files: they are split into sections or
symbols, and the best section counts. An answer lists the translations of its hits. A translation that is judged
relevant and is not a hit itself counts right after its hit, in every column (this matters on ub-peer, where both are
judged)."""

BEYOND = """\
## What these collections cannot show

Some parts have hardly any effect on these collections, because the case they are made for does not occur there. The
queries have no typos, no required phrases that occur nowhere (`relax_phrases`) and no feedback (`apply_feedback`). The
documents have no tags, properties, trigger phrases or alternative names, and none is in three languages. Two additions
cover these cases:

- Some collections also run with a typo in every query, to measure `correct_spelling`.
- `benchmarks/vault` is a collection of our own: pages, notes, tasks, skills and code of a fictional team, and 159
  queries of the kinds that people and agents use. We wrote it with knowledge of the parts, and replaced queries that
  did not need the part they were written for. It shows that a part works, not how often it matters, and its intervals
  do not rule out chance. It counts in no mean and was not used for the weights.

With 30 queries of each collection, as here, small effects look like noise: `auto.min_similarity_steps` gains .006
(± .005) on xquad-en2zh if all its 1,190 queries are used.

These collections judge whole documents. Sections are judged in the vault, in the questions about projects above and by
[queries made from projects](mine.md), where signals that help to find the right document cost a little.
`limit_per_document` changes results only where more than three sections of a document are among the first ten."""

INPUT_LISTS = """\
## Input lists of `memory` and `neighbours`

Both recipes fuse lists by rank, and a rank does not show how weak an entry is. Their formulas, weights and thresholds
are those of the systems they follow ([How results are ranked](ranking.md)). They are applied to shorter lists now:

- The lexical list ends where a score is below half of the best (`rrf.min_lexical`), if there is a vector list too.
  Before, any section with one word of the query had a rank, and a wrong vector hit with such a rank overtook the best
  match of all words. On 15 collections this gains .016 in `memory`, most on 2wiki (.09) and for queries in other
  languages. Shares from .4 to .7 differ by at most .01; `neighbours` loses beyond .5, because it drops what only one
  list contains.
- `memory`: the link list has weight 1.5, more than either other list. From the best hits, ordinary links (`references`,
  `imports` …) led to relevant documents in 20 to 67 % of the cases if these were strong hits themselves, in 1 to 15 %
  if they were further down in a list, and in at most 0.8 % if they were in none (eleven collections with links; 50 and
  8 % on 2wiki). So ordinary links count between strong hits only (`memory.strong`), and only if the best hit is among
  them: otherwise others would overtake it just because they are linked. Without vectors they do not count, because
  links would then outweigh the only other list (on semble, .60 instead of .80). Relations (`supersedes`, `caused`,
  `supports` …) and documents that were read together lead to any document, as before. The list ends where a path has
  less than a quarter of the best fused score (`memory.min_path`).
- `neighbours`: the direct hits are sections of five different documents (`neighbours.per_document`). Sections that only
  links lead to take the places that direct hits leave (`neighbours.displace`). Before, a section behind a link, with .8
  of the score of the first hit, displaced direct hits that only one list ranked high.
- `neighbours`: the first hit by words and the first by vectors have the same score if neither is in the other list, and
  the names of their files decided. Words decide now, or vectors if the texts are in another language than the query.
  Vectors of the model for other languages are left out if query and texts are in the same language and the second
  section by words has at most .9 of the score of the first (`rrf.clear_lexical`). On ja-dev and zh-dev most losses were
  such questions: the right section was first by words, far down in the vector list or not in it, and wrong sections
  in both lists overtook it. Shares of .85 and .9 differ by at most .003 there; .7 gains less.

The rankings are still those of the systems they follow. k = 60, weight 1.5 for links, ×1.10 for two lists, the decays,
recency and importance by intent, the minimum score of 0.5 and the limit of five results are unchanged, and so is every
worked example in the tests.

What remains: on ja-dev and zh-dev words alone are nearly perfect and vectors are weaker, but a fusion by rank gives
both lists the same weight (`auto` weighs scores instead) wherever no section matches the words best by far. On
cranfield and cacm a query has many relevant documents, and `neighbours` returns at most five. `memory` without any link
list would gain another .005 on average."""

TRIED = """\
## Experiments where a target is missed

Each was run by itself on all collections, most with at most 250 queries of each. Changes that gained on one collection
and lost on others were not adopted.

- Fusion: vector scores standardised by their deviation, or measured from the usual similarity, or computed for all
  sections of any list; lists three and ten times as long: ±.005 on average, musique down to .70.
- docsfaq: with half of a score instead of .3 depending on the whole document it reaches .54, but the right section of a
  project is found less often (-.03). A prior for pages with many incoming links gains .01 to .03 here and loses as much
  in Chinese. Without link texts (`inbound`) `auto:words` reaches .49 here and .46 on debfaq-ja, but pages are no longer
  found by the names that other pages use for them. Passages without a title that two hundred pages share: +.01 for the
  vector list alone, and a lower R@5.
- locomo: other length norms, saturations, weights of neighbouring turns and vector weights change it by less than .005.
  Embedding a turn together with its neighbours gains .05 for the vector list alone and nothing in the fusion, because
  the lexical fields contain the neighbours already.
- cosqa, scifact: no change for vector weights around the current one. On scifact, shared names without the cap gained
  .004, and lowered MRR elsewhere.
- Proximity of the query's words in the text, ordered or not: ±.001 on average. Sorting hits by their relevance: -.001.
  Both models for English: no gain.
- A cap on link bonuses, as for shared names: MRR on 2wiki gains .01, semble and docsfaq lose .01 to .04.
- A prior against tests, stubs, generated files and logs: +.003 to +.018 on semble, but R@5 on commits falls by .02 to
  .03.
- Feedback: the query's vector moved towards those of the best one to five results (weights .15 to .5) changes docsfaq
  from .524 to between .509 and .516, qmd-eval from .967 to between .960 and .967. In a simulation, feedback gained .010
  on cranfield and lost .001 to .015 on cosqa.
- commits: a share of a source file's score for its test and the reverse gains .010 at best, with a loss on semble.
- cosqa: without the name of the programming language in the query -.008 to +.001.
- Vectors of sections: the vector of title and headings added to that of the text with weight .3 gives docsfaq .547 and
  semble .906, but the right file of a project is first less often (-.007); the last heading alone or approximate
  vectors added likewise gain nothing.
- Questions about projects: words close together, runs of fewer than four words, link bonuses divided by the number of
  sections, trust in words by the share of them in the best hit, vectors of whole files, weaker short sections, a linear
  model over 31 features ([figures](../benchmarks/results/ranking-sections-2026-11-18.md)).
- Questions about projects and docsfaq: a smaller share of the whole document (.2) gains .006 by file and .007 by
  section, within noise, and loses on semble and commits by words. Comparing the best 15 results again by vectors of
  their parts, which bounds what finer vectors can gain, gives .549 on docsfaq and .002 by section on projects
  ([figures](../benchmarks/results/ranking-lists-2026-11-18.md)).
- A matrix by which the query's vector is multiplied, trained on the judgements of 13 collections and projects and
  measured on a fourteenth, by vectors alone: -.001 on average, from -.10 (commits) to +.08 (fastify).
- The vector of the last heading added to that of its section: docsfaq .546, over 14 projects +.003 by file and +.002 by
  section, within noise (scrapy +.07, marshmallow -.04); with all headings and the title .560 on docsfaq, -.004 by file
  and -.003 by section on six projects. The vector of a docstring added to that of its function: cosqa -.005 to -.019.
  Similarities lowered for sections that are near to many others: cosqa, semble and docsfaq +.004 to +.006, commits
  -.003, projects ±.002. A second vector of the query without function words: commits +.006, cosqa -.011. Both scores
  for every candidate: ±.002 ([figures](../benchmarks/results/ranking-tried-2026-11-18.md)).
- An encoder of queries, trained with questions about 5,200 sections of 87 packages: +.010 by file and by section on
  nine projects, within noise, docsfaq and semble +.002 to +.010, commits -.002, cosqa -.014
  ([figures](../benchmarks/results/query-training-tried-2026-11-19.md)).
- Words of the query compared with similar words of a section, reciprocal ranks beside scores, more trust in vectors
  where words are found nowhere (+.004 to +.011 by section on projects, scifact -.0014 to -.0033 beyond noise), less
  weight for values in error messages: nothing that gains on projects without a loss elsewhere
  ([figures](../benchmarks/results/ranking-tried-2026-11-19.md))."""
