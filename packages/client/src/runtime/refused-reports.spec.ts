import { RefusedReports } from './refused-reports.js';
import type { RuntimeEvent } from './runtime-events.js';

const refusalAt = (index: number) => ({
  field: `deployments.${index}.ready_replicas`,
  message: `deployments.${index}.ready_replicas must be a whole number`,
  code: 'out_of_range' as const,
});

function recorded() {
  const events: RuntimeEvent[] = [];
  const reports = new RefusedReports((event) => events.push(event));
  return { events, reports };
}

describe('A refused report', () => {
  const [a, b] = [{ deployment_id: 'a' }, { deployment_id: 'b' }];

  it('is warned of with its deployment and the rule', () => {
    const { events, reports } = recorded();
    reports.follow([a, b], [refusalAt(1)]);
    expect(events).toEqual([
      {
        level: 'warning',
        event: 'report_refused',
        message: 'The service has refused a report of this deployment: ready_replicas must be a whole number',
        deployment_id: 'b',
      },
    ]);
  });

  it('is logged once while each heartbeat repeats it, at any position', () => {
    const { events, reports } = recorded();
    reports.follow([a, b], [refusalAt(1)]);
    reports.follow([b, a], [refusalAt(0)]);
    reports.follow([b, a], [refusalAt(0), refusalAt(1)]);
    expect(events.map((event) => event.deployment_id)).toEqual(['b', 'a']);
  });

  it('is warned of again after it was taken meanwhile', () => {
    const { events, reports } = recorded();
    reports.follow([a], [refusalAt(0)]);
    reports.follow([a], undefined);
    reports.follow([a], [refusalAt(0)]);
    expect(events).toHaveLength(2);
  });

  it('is warned of when the reply names no field', () => {
    const { events, reports } = recorded();
    reports.follow([a], [{ field: null, message: 'deployments are wrong', code: 'invalid_value' }]);
    expect(events[0]?.message).toContain('deployments are wrong');
  });
});
