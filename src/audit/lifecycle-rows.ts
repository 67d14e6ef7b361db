import { CREATION, EVENT_TYPES, type Transition, TRANSITIONS } from '../lifecycle/deployment-lifecycle.js';

/** The deployments' state machine as rows of SQL, so that a statement can compare a whole history with it. */

const transitions = Object.values<Transition>(TRANSITIONS);

/** Previous status of a creation: the empty text, because SQL can't compare NULL. */
export const NO_STATUS = '';

const steps = [
  { event: CREATION.event as string, from: NO_STATUS, to: CREATION.to as string, by: 'user' },
  ...transitions.flatMap(({ event, from, to, by }) =>
    from.flatMap((status) =>
      by.map((source) => ({ event, from: status, to: to === 'same' ? status : to, by: source })),
    ),
  ),
];

const causes = transitions.flatMap(({ event, by, cause }) =>
  cause === undefined ? [] : by.map((source) => ({ event, by: source, cause })),
);

/** Steps that are allowed only right after certain others: a recovery only after the loss of a heartbeat. */
const successions = transitions.flatMap(({ event, after }) =>
  after === undefined
    ? []
    : causes.filter(({ cause }) => cause === after).map(({ event: before }) => ({ event, before })),
);

const raisingCommands: readonly (string | undefined)[] = ['scale', 'restart'];
const raising = transitions.filter(
  ({ command, holds }) => raisingCommands.includes(command) || holds !== undefined,
);

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function listOf(texts: readonly string[]): string {
  return [...new Set(texts)].map(quoted).join(', ');
}

function rowsOf(rows: readonly (readonly string[])[]): string {
  return [...new Set(rows.map((row) => `(${row.map(quoted).join(', ')})`))].join(', ');
}

/** `(event_type, previous_status, status, source)` of every step. */
export const STEP_ROWS = rowsOf(steps.map(({ event, from, to, by }) => [event, from, to, by]));

/** `(event_type, source, failure_cause)` of every step that fails a deployment. */
export const CAUSE_ROWS = rowsOf(causes.map(({ event, by, cause }) => [event, by, cause]));

/** `(event_type, preceding event_type)` of every step that must follow a certain step. */
export const SUCCESSION_ROWS = rowsOf(successions.map(({ event, before }) => [event, before]));

export const BOUND_EVENTS = listOf(successions.map(({ event }) => event));

/** `(event_type, action)` of every command and the step that makes it. */
export const COMMAND_ROWS = rowsOf([
  [CREATION.event, CREATION.command],
  ...transitions.flatMap(({ event, command }) => (command ? [[event, command]] : [])),
  ['paused', 'scale'],
  ...['deploy', 'restart', 'scale'].map((action) => ['resumed', action]),
]);

/** The event types of the state machine. All others are notes of inbound reports, which leave the status unchanged. */
export const STEP_EVENTS = listOf(EVENT_TYPES);

export const RAISING_EVENTS = listOf(raising.map(({ event }) => event));

/** The actor of a row of a history: the state machine's `user`, `agent` or `monitor`, which also acts for schedules and budgets. */
export const SOURCE = `CASE WHEN actor = 'monitor' OR actor LIKE 'schedule:%' OR actor LIKE 'budget:%' THEN 'monitor' WHEN actor LIKE 'agent:%' THEN 'agent' ELSE 'user' END`;
