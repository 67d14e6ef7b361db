import type { Evidence, Violate } from './evidence.js';
import { checkInvariants } from './invariants-check.js';

/**
 * Written from the contract's lifecycle table, not from the service's: what an event may make of a status. Nobody
 * kills here and every command is answered, so neither `kill` nor `deadline_exceeded` may occur.
 */
const LEGAL: Readonly<Record<string, readonly (readonly [from: string | null, to: string])[]>> = {
  deploy: [[null, 'deploying']],
  running: [['deploying', 'running']],
  recovered: [['failed', 'running']],
  ready: [
    ['deploying', 'ready'],
    ['running', 'ready'],
  ],
  degraded: [['ready', 'running']],
  scale: [
    ['running', 'running'],
    ['ready', 'ready'],
  ],
  stop: [
    ['deploying', 'stopped'],
    ['running', 'stopped'],
    ['ready', 'stopped'],
  ],
  restart: [
    ['stopped', 'deploying'],
    ['failed', 'deploying'],
  ],
  failed: [
    ['deploying', 'failed'],
    ['running', 'failed'],
    ['ready', 'failed'],
  ],
  heartbeat_lost: [
    ['deploying', 'failed'],
    ['running', 'failed'],
    ['ready', 'failed'],
  ],
};
const WISHES = ['deploy', 'scale', 'stop', 'restart'];
/** Number of deployments that are also read through the API. */
const SAMPLE = 20;

interface EventRow {
  readonly deployment_id: string;
  readonly sequence: number;
  readonly event_type: string;
  readonly status: string;
  readonly previous_status: string | null;
}

/** Each history counts from 1 without gaps, replays to the deployment's status, and holds every wish, in order. */
export async function checkHistory(evidence: Evidence, violate: Violate): Promise<number> {
  const { stage, driver } = evidence;
  await checkInvariants(stage, violate);
  const events = await stage.query<EventRow>(
    `SELECT deployment_id, sequence, event_type, status, previous_status FROM deployment_events
     ORDER BY deployment_id, sequence`,
  );
  const histories = Map.groupBy(events, (event) => event.deployment_id);
  const wishes = Map.groupBy(driver.wishes, (wish) => wish.deploymentId);
  const deployments = await stage.query<{ id: string; status: string; last_sequence: number }>(
    'SELECT id, status, last_sequence FROM deployments',
  );
  for (const { id, status, last_sequence: last } of deployments) {
    const history = histories.get(id) ?? [];
    const replayed = replay(id, history, violate);
    if (replayed !== status)
      violate('a history does not lead to its status', `${id}: ${replayed}, is ${status}`);
    if (history.length !== last)
      violate('a history is not as long as it says', `${id}: ${history.length} of ${last}`);
    const recorded = history.map((event) => event.event_type).filter((type) => WISHES.includes(type));
    const wanted = (wishes.get(id) ?? []).map(({ action }) => action);
    if (recorded.join() !== wanted.join()) {
      violate('a history is not what was asked for', `${id}: ${recorded.join()} instead of ${wanted.join()}`);
    }
  }
  for (const id of wishes.keys()) if (!histories.has(id)) violate('an agreed deployment is gone', id);
  for (const id of [...histories.keys()].slice(0, SAMPLE)) {
    await compareWithApi(evidence, id, histories.get(id)!, violate);
  }
  return events.length;
}

function replay(id: string, history: readonly EventRow[], violate: Violate): string | null {
  let status: string | null = null;
  for (const [index, event] of history.entries()) {
    const name = `${id} at ${event.sequence}: ${event.event_type} from ${event.previous_status} to ${event.status}`;
    if (event.sequence !== index + 1) violate('a history has a gap', name);
    if (event.previous_status !== status)
      violate('a history does not follow from itself', `${name}, was ${status}`);
    const legal = LEGAL[event.event_type]?.some(
      ([from, to]) => from === event.previous_status && to === event.status,
    );
    if (!legal) violate('a history holds an event that may not be', name);
    status = event.status;
  }
  return status;
}

async function compareWithApi(
  { person }: Evidence,
  id: string,
  history: readonly EventRow[],
  violate: Violate,
) {
  const { items, total } = (await person.get(`/deployments/${id}/events?limit=500`)).body;
  const shown = (items as EventRow[]).map(({ sequence, event_type: type }) => `${sequence} ${type}`).join();
  // The list is newest first. Events may have been added since the table was read.
  const stored = history.map(({ sequence, event_type: type }) => `${sequence} ${type}`).reverse();
  if (!shown.endsWith(stored.join()) || total < stored.length) {
    violate('the API shows another history', `${id}: ${shown} instead of ${stored.join()}`);
  }
}
