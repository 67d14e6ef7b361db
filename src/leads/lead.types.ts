import type { LeadEntity } from './lead.entity.js';

export type Lead = Readonly<LeadEntity>;

/** The fields of the contact form; an empty one counts as absent. */
export interface Enquiry {
  readonly email: string;
  readonly name?: string | null;
  readonly company?: string | null;
  readonly message?: string | null;
  readonly source?: string | null;
}
