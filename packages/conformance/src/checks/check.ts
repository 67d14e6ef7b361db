import type { Evidence } from '../evidence.js';

/** A rule of the protocol; listed in docs/conformance.md, where its id is an anchor. */
export interface Rule {
  readonly id: string;
  /** As RFC 2119 means them. */
  readonly level: 'must' | 'should';
  /** One sentence, with the agent as its subject. */
  readonly text: string;
  /** Behaviour that must have been seen before this rule can be judged; absent: every agent shows it. */
  readonly needs?: string;
}

/** A rule that what was seen can be held against. Pure. */
export interface Check extends Rule {
  /** @returns a sentence for each breach; null where nothing that was seen has to do with the rule */
  readonly examine: (evidence: Evidence) => readonly string[] | null;
}

/** Outcome of a rule in one scenario. */
export interface Verdict {
  readonly rule: Rule;
  readonly breaches: readonly string[];
}
