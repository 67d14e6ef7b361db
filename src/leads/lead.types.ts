export interface Lead {
  readonly id: string;
  /** The address as typed. */
  readonly email: string;
  readonly name: string | null;
  readonly company: string | null;
  readonly message: string | null;
  /** The source of the lead, as the caller names it. */
  readonly source: string | null;
  readonly createdAt: string;
}

/** The fields of the contact form; an empty one counts as absent. */
export interface Enquiry {
  readonly email: string;
  readonly name?: string | null;
  readonly company?: string | null;
  readonly message?: string | null;
  readonly source?: string | null;
}
