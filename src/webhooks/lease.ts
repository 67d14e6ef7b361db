/** What a lease lasts beyond the attempt's own time: to sign, and to write the result. */
export const LEASE_MARGIN_SECONDS = 30;
