import type { Evidence } from '../evidence.js';

/** A rule of the protocol; `sections.ts` names the section of the documentation that explains it. */
export interface Rule {
  readonly id: string;
  /** The levels of RFC 2119. */
  readonly level: 'must' | 'should';
  /** One sentence, with the agent as its subject. */
  readonly text: string;
  /** Behaviour that must occur before this rule can be judged; absent: every agent shows it. */
  readonly needs?: string;
}

/** A rule that is judged by the evidence. Pure. */
export interface Check extends Rule {
  /** @returns a sentence for each breach; null if the evidence has nothing to do with the rule */
  readonly examine: (evidence: Evidence) => readonly string[] | null;
}

/** The result of a rule in one scenario. */
export interface Verdict {
  readonly rule: Rule;
  readonly breaches: readonly string[];
}
