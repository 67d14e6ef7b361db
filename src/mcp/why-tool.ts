import { isRecord } from '../http/json-record.js';
import type { ApiCaller } from './api-caller.js';
import type { ApiOperations, Schema } from './api-operations.js';
import type { Arguments } from './tool-arguments.js';

/** How many of each kind the answer has: enough to see what happened, few enough to be read. */
const DEPLOYMENTS = 3;
const EVENTS = 10;
const ERRORS = 15;
const COMMANDS = 10;
const RUNS = 5;
/** Statuses of runs that have not begun, or wait for a person. */
const WAITING = ['queued', 'waiting'];
/** Statuses of runs that are over and have not done their work. */
const UNSUCCESSFUL = ['failed', 'timed_out', 'abandoned'];

interface Deployment {
  readonly id: string;
  readonly last_exit: unknown;
}

/** Reads what a person would look up on four pages: see `WHY`. Each part is an operation of the API, with its rules. */
export class WhyTool {
  private readonly operations;

  constructor(api: ApiOperations) {
    this.operations = {
      agent: api.of('getAgent'),
      events: api.of('listDeploymentEvents'),
      errors: api.of('listAgentLogs'),
      commands: api.of('listDeploymentCommands'),
      runs: api.of('listRuns'),
    };
    const listOf = (name: string): Schema => ({ type: 'array', items: api.reference(name) });
    this.answer = {
      type: 'object',
      properties: {
        agent: {
          description: 'Includes its health, and its current pause.',
          ...api.reference('AgentResponse'),
        },
        deployments: { description: 'The latest.', ...listOf('DeploymentResponse') },
        last_exits: {
          description: 'The last exit of each of these deployments, if there was one.',
          type: 'array',
          items: {
            type: 'object',
            properties: {
              deployment_id: { type: 'string', format: 'uuid' },
              last_exit: api.reference('LastExitResponse'),
            },
            required: ['deployment_id', 'last_exit'],
          },
        },
        events: {
          description: 'Of the latest deployment, newest first.',
          ...listOf('DeploymentEventResponse'),
        },
        errors: {
          description: 'The newest log lines with the level `error` or above.',
          ...listOf('LogRecord'),
        },
        waiting_commands: {
          description: 'Unacknowledged commands of the latest deployment, each with the reason why it waits.',
          ...listOf('CommandRecordResponse'),
        },
        waiting_runs: {
          description: 'The newest waiting runs, each with the reason.',
          ...listOf('RunResponse'),
        },
        failed_runs: { description: 'The newest runs that failed.', ...listOf('RunResponse') },
      },
      required: [
        'agent',
        'deployments',
        'last_exits',
        'events',
        'errors',
        'waiting_commands',
        'waiting_runs',
        'failed_runs',
      ],
    };
  }

  readonly arguments: Schema = {
    type: 'object',
    properties: {
      agent_id: { type: 'string', format: 'uuid', description: 'Of `find_agents` or `overview`.' },
    },
    required: ['agent_id'],
    additionalProperties: false,
  };

  readonly answer: Schema;

  /** @throws ApiRefusal */
  async call(caller: ApiCaller, { agent_id }: Arguments) {
    const { operations } = this;
    const list = async (
      operation: (typeof operations)['runs'],
      given: Arguments,
    ): Promise<readonly unknown[]> => {
      const { body } = await caller.call(operation, given);
      return (isRecord(body) ? body.items : body) as readonly unknown[];
    };
    // Calls one after the other: at once they would take several of the caller's slots.
    const { deployments: all, ...agent } = (await caller.call(operations.agent, { agent_id })).body as {
      readonly deployments: readonly Deployment[];
    };
    const deployments = all.slice(0, DEPLOYMENTS);
    const latest = deployments[0]?.id;
    const ofLatest = async (operation: (typeof operations)['runs'], given: Arguments) =>
      latest === undefined ? [] : list(operation, { deployment_id: latest, ...given });
    return {
      agent,
      deployments,
      last_exits: deployments
        .filter(({ last_exit }) => last_exit !== null)
        .map(({ id, last_exit }) => ({ deployment_id: id, last_exit })),
      events: await ofLatest(operations.events, { limit: EVENTS }),
      errors: await list(operations.errors, { agent_id, min_level: 'error', limit: ERRORS }),
      waiting_commands: [
        ...(await ofLatest(operations.commands, { state: 'leased', limit: COMMANDS })),
        ...(await ofLatest(operations.commands, { state: 'pending', limit: COMMANDS })),
      ],
      waiting_runs: await list(operations.runs, { agent_id, status: WAITING, limit: RUNS }),
      failed_runs: await list(operations.runs, { agent_id, status: UNSUCCESSFUL, limit: RUNS }),
    };
  }
}
