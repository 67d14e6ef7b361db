import type { components } from '../generated/schema.js';

/** What a runtime says of a run. */
export type RunReport = components['schemas']['RunReportEntry'];
