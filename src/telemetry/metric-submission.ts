import { readSubmission, type Submission, type SubmittedEntry } from './submission.js';

export interface SubmittedMetric extends SubmittedEntry {
  readonly cpuUsage: number | null;
  readonly memoryUsage: number | null;
  readonly uptimeSeconds: number | null;
  readonly requestsProcessed: number | null;
  readonly errorsCount: number | null;
  /** JSON text. */
  readonly custom: string | null;
}

/** @throws InvalidError */
export function readMetricSubmission(body: unknown, receivedAt: Date): Submission<SubmittedMetric> {
  return readSubmission(
    body,
    'metrics',
    (reader) => ({
      path: reader.path,
      timestamp: reader.timestamp('timestamp'),
      deploymentId: reader.uuid('deployment_id'),
      runId: reader.uuid('run_id'),
      cpuUsage: reader.measure('cpu_usage'),
      memoryUsage: reader.measure('memory_usage'),
      uptimeSeconds: reader.measure('uptime_seconds'),
      requestsProcessed: reader.count('requests_processed'),
      errorsCount: reader.count('errors_count'),
      custom: reader.object('custom'),
    }),
    receivedAt,
  );
}
