import { QuotaSumsService } from '../../src/quotas/quota-sums.service.js';
import type { TestApp } from '../harness/test-app.js';
import type { TestAgent } from './agents.js';

/** A quota of measurements that one of them uses up. */
export const NARROW_QUOTA = { MAX_METRIC_BYTES_PER_AGENT: '100' };

/** Has an agent use its quota of measurements up, where it is {@link NARROW_QUOTA}. */
export async function useQuotaUp({ app }: TestApp, agent: TestAgent): Promise<void> {
  await agent.runtime.post('/agents/metrics', { cpu_usage: 1 });
  await app.get(QuotaSumsService).round();
}
