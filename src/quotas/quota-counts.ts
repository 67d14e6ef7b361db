import type { QuotaSubject } from './quota.types.js';

/**
 * Share of a limit that an instance may have accepted without having added it to the table, besides what it has accepted since its
 * last round: small senders cost a statement each few minutes.
 */
const UNADDED_SHARE = 1 / 256;

/** Returns the limit of a subject; 0: none. */
type LimitOf = (subject: QuotaSubject) => number;

/** An amount that an instance has accepted, and the known use by the same subject. */
class Count {
  /** The sum of all instances, when it was last read. */
  known = 0;
  isKnown = false;
  /** Accepted by this instance, and not part of `known`. */
  unadded = 0;
  /** Taken by requests under way. */
  underWay = 0;

  /** @param subject its agent may have been handed over since */
  constructor(
    public subject: QuotaSubject,
    private readonly limitOf: LimitOf,
  ) {}

  /** 0: there is none now. Operators may change that of a project during the day. */
  get limit(): number {
    return this.limitOf(this.subject);
  }

  get used(): number {
    return this.known + this.unadded + this.underWay;
  }

  get isDue(): boolean {
    return !this.isKnown || this.unadded >= this.limit * UNADDED_SHARE;
  }
}

/** The amounts that an instance adds to the table. */
export interface Addition extends QuotaSubject {
  readonly amount: number;
  readonly limit: number;
}

/** The sum of all instances. */
export interface KnownSum extends QuotaSubject {
  readonly amount: number;
}

/** Counts of one day in the memory of an instance. Subjects without a limit are not counted. */
export class QuotaCounts {
  private counts = new Map<string, Count>();

  constructor(private readonly limitOf: LimitOf) {}

  /** True if the subject has used its limit up, as far as this instance knows. */
  isUsedUp(subject: QuotaSubject): boolean {
    const count = this.counts.get(nameOf(subject));
    return count !== undefined && count.limit > 0 && count.used >= count.limit;
  }

  /** Counts what a request is about to store. */
  take(subject: QuotaSubject, amount: number): void {
    const count = this.countOf(subject);
    if (count) count.underWay += amount;
  }

  /** Counts what became of a request's amount. A request that began on the day before is counted now. */
  settle(subject: QuotaSubject, taken: number, stored: number): void {
    const count = this.countOf(subject);
    if (!count) return;
    count.underWay = Math.max(0, count.underWay - taken);
    count.unadded += stored;
  }

  /** Takes out the amounts for the table. @param all true: also small amounts */
  takeAdditions(all: boolean): Addition[] {
    const additions: Addition[] = [];
    for (const count of this.counts.values()) {
      if (count.unadded === 0 || count.limit === 0 || !(all || count.isDue)) continue;
      additions.push({ ...count.subject, amount: count.unadded, limit: count.limit });
      // Part of the sum already: nothing is admitted twice while the statement runs.
      count.known += count.unadded;
      count.unadded = 0;
    }
    return additions;
  }

  /** Puts back what could not be added. */
  putBack(additions: readonly Addition[]): void {
    for (const { amount, ...subject } of additions) {
      const count = this.countOf(subject);
      if (!count) continue;
      count.known = Math.max(0, count.known - amount);
      count.unadded += amount;
    }
  }

  /** Learns the sums of all instances. */
  learn(sums: readonly KnownSum[]): void {
    for (const { amount, ...subject } of sums) {
      const count = this.countOf(subject);
      if (!count) continue;
      count.known = Math.max(count.known, amount);
      count.isKnown = true;
    }
  }

  /** Begins a new day. What was not added yet, and what is under way, counts on it. */
  beginDay(): void {
    const before = this.counts;
    this.counts = new Map();
    for (const { subject, unadded, underWay } of before.values()) {
      if (unadded + underWay === 0) continue;
      const count = this.countOf(subject)!;
      count.unadded = unadded;
      count.underWay = underWay;
    }
  }

  private countOf(subject: QuotaSubject): Count | undefined {
    const name = nameOf(subject);
    const known = this.counts.get(name);
    if (known) {
      if (known.subject.projectId !== subject.projectId)
        known.subject = { ...known.subject, projectId: subject.projectId };
      return known;
    }
    if (this.limitOf(subject) === 0) return undefined;
    const { scope, subjectId, projectId, kind } = subject;
    const count = new Count({ scope, subjectId, projectId, kind }, this.limitOf);
    this.counts.set(name, count);
    return count;
  }
}

/** The personal project of an account has the id of the account, and no agent has that of a project. */
function nameOf({ subjectId, kind }: { readonly subjectId: string; readonly kind: string }): string {
  return `${kind}:${subjectId}`;
}
