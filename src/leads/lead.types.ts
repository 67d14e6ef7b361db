export interface Lead {
  readonly id: string;
  /** As it was typed. */
  readonly email: string;
  readonly name: string | null;
  readonly company: string | null;
  readonly message: string | null;
  /** Where it came from, in the caller's own words. */
  readonly source: string | null;
  readonly createdAt: string;
}

/** What somebody leaves; empty is none. */
export interface Enquiry {
  readonly email: string;
  readonly name?: string | null;
  readonly company?: string | null;
  readonly message?: string | null;
  readonly source?: string | null;
}
