import type { components } from '../generated/schema.js';

/** An entry of `POST /agents/runs`. */
export type RunReport = components['schemas']['RunReportEntry'];
