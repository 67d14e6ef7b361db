import { constants, hostname } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { type Agent, type Deployment, ServiceError, unwrap } from '@agent-control-plane/client';
import type { RuntimeEvent } from '@agent-control-plane/client/runtime';
import type { ProgramEnd } from '../../../runner/foreground.js';
import type { Admission } from '../../../runner/policy/admission.js';
import type { Account } from '../../../runner/processes/account.js';
import { runAgent } from '../../../runner/run-agent.js';
import { keyMadeFor } from '../../agent-key.js';
import type { Context } from '../../context.js';
import { CommandFailedError, UsageError } from '../../failures.js';
import { agentKind } from '../../find-agent.js';
import { printableLine } from '../../output/printable.js';
import { ALL_PAGES, PAGE, readPages } from '../../paging.js';
import { programName } from './program-name.js';
import type { RunOptions } from './run-options.js';
import { runnerOptions } from './runner-options.js';

/** Events after which nothing is started any more: the program has failed, or could not be started. */
const FAILURES = ['given_up', 'command_failed'];

/** Runs a program as an agent: makes or finds it, deploys it, shows its output, and ends with it. @returns its exit code; undefined after an interruption */
export async function runProgram(
  options: RunOptions,
  context: Context,
  admission: Admission,
  account: Account | undefined,
): Promise<number | undefined> {
  if (options.agentId ?? options.keyFile ?? options.keyDescriptor ?? options.stateDir)
    throw new UsageError(
      'A program gets an agent of its own, named by --name: leave out --agent, keys and --state-dir',
    );
  const directory = process.cwd();
  const name = options.name ?? programName(options.words, directory);
  const agent = await agentFor(context, name, { command: options.words, cwd: directory });
  const key = await keyMadeFor(agent.id, context, { stateDir: undefined, maker: 'svc run' });
  const deployment = await deploy(context, agent.id);
  const over = new AbortController();
  // behind the present event, so that the runtime still reports it
  const endSoon = () => setImmediate(() => over.abort());
  let end: ProgramEnd | undefined;
  try {
    await runAgent({
      ...runnerOptions(options, context, admission, account),
      credentials: { current: () => key },
      agentId: agent.id,
      stateDir: undefined,
      onEvent: (event) => {
        // the program's own words and the exit code say already that it has failed
        if (!end || event.event !== 'given_up') note(context, event);
        if (FAILURES.includes(event.event)) endSoon();
      },
      foreground: {
        onOutput: (text, stream) => {
          if (stream === 'stdout') context.terminal.print(text);
          else context.terminal.note(text);
        },
        onEnd: (how) => {
          end ??= how;
          endSoon();
        },
      },
      signal: AbortSignal.any([context.signal, over.signal]),
      hurry: context.hurry(),
    });
  } finally {
    await stopRest(context, deployment);
  }
  return context.signal.aborted ? undefined : exitCodeOf(end);
}

/** The agent with this name, whose config has the program. @throws CommandFailedError if it is not clear, or runs elsewhere */
async function agentFor(
  context: Context,
  name: string,
  program: { readonly command: readonly string[]; readonly cwd: string },
): Promise<Agent> {
  const { terminal } = context;
  const { items } = await readPages(ALL_PAGES, PAGE.resources, (page) =>
    agentKind.read(context, { q: name }, page),
  );
  const [agent, ...others] = items.filter((item) => item.name === name);
  if (others.length > 0)
    throw new CommandFailedError(
      `${others.length + 1} agents are called "${name}": choose another with --name, or say which with --project`,
    );
  if (!agent) {
    const body = { name, config: JSON.stringify(program), project_id: await context.projectId() };
    const created = await unwrap(context.service().POST('/agents', { body }));
    terminal.note(
      printableLine(
        `Created the agent "${name}" (${created.id}); "svc why ${name}" says its status and replicas`,
      ),
    );
    return created;
  }
  if (agent.connection === 'online' && agent.hostname !== hostname())
    throw new CommandFailedError(
      `"${name}" runs on ${agent.hostname ?? 'another machine'}: stop it there, or choose another name with --name`,
    );
  return withProgram(context, agent, program);
}

/** Saves the program as a config version, unless it is the same. What else the config has stays. */
async function withProgram(context: Context, agent: Agent, program: object): Promise<Agent> {
  const path = { agent_id: agent.id };
  const { config, config_version } = await unwrap(
    context.service().GET('/agents/{agent_id}', { params: { path } }),
  );
  const present = JSON.parse(config) as object;
  const wanted = { ...present, ...program };
  if (isDeepStrictEqual(wanted, present)) return agent;
  const header = { 'If-Match': `"${config_version}"` };
  const body = { config: JSON.stringify(wanted) };
  const updated = await unwrap(
    context.service().PATCH('/agents/{agent_id}', { params: { path, header }, body }),
  );
  context.terminal.note(
    printableLine(`Saved the program as config version ${updated.config_version} of "${agent.name}"`),
  );
  return updated;
}

/** Deploys the agent again. Earlier deployments are stopped first, so that no runner starts them again. */
async function deploy(context: Context, agentId: string): Promise<Deployment> {
  const path = { agent_id: agentId };
  await context.service().POST('/agents/{agent_id}/stop', { params: { path } });
  return unwrap(context.service().POST('/agents/{agent_id}/deploy', { params: { path }, body: {} }));
}

/** Stops what is left after an interruption, or of replicas that were added. A deployment that has ended refuses. */
async function stopRest(context: Context, { id }: Deployment): Promise<void> {
  try {
    const path = { deployment_id: id };
    await context.lastService().POST('/deployments/{deployment_id}/stop', { params: { path } });
  } catch (error) {
    if (error instanceof ServiceError) return;
    // the next start stops it
    context.terminal.note(
      printableLine(`The deployment may still be shown as running: ${(error as Error).message}`),
    );
  }
}

function note({ terminal }: Context, { level, message, event }: RuntimeEvent): void {
  if (level === 'info' || event === 'replica_ended') return;
  const color = level === 'error' ? terminal.noteColors.red : terminal.noteColors.yellow;
  terminal.note(color(`svc: ${printableLine(message)}`));
}

/** As shells say it: 128 and its number for a signal. A program that could not be started has none. */
export function exitCodeOf(end: ProgramEnd | undefined): number {
  if (!end) return 1;
  return end.signal === null ? (end.code ?? 1) : 128 + constants.signals[end.signal];
}
