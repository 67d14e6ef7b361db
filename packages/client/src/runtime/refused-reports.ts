import type { components } from '../generated/schema.js';
import type { EventListener } from './runtime-events.js';

type Reports = components['schemas']['HeartbeatRequest']['deployments'];
type Refused = components['schemas']['HeartbeatResponse']['refused'];

/** Warns of reports that the service has refused: once for each, until it is taken again. */
export class RefusedReports {
  private known = new Set<string>();

  constructor(private readonly onEvent: EventListener) {}

  /** Follows the reply to a heartbeat. @param reports those that it refers to by their index */
  follow(reports: Reports, refused: Refused): void {
    const present = new Set<string>();
    for (const { field, message } of refused ?? []) {
      const [path, index] = /^deployments\.(\d+)\.?/.exec(field ?? '') ?? [''];
      const deploymentId = reports?.[Number(index)]?.deployment_id;
      const rule = message.startsWith(path) ? message.slice(path.length) : message;
      const refusal = `${deploymentId} ${rule}`;
      present.add(refusal);
      if (this.known.has(refusal)) continue;
      this.onEvent({
        level: 'warning',
        event: 'report_refused',
        message: `The service has refused a report of this deployment: ${rule}`,
        deployment_id: deploymentId,
      });
    }
    this.known = present;
  }
}
