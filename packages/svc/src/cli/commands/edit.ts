import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../command.js';
import type { Context } from '../context.js';
import { CommandFailedError, UsageError } from '../failures.js';
import { agentArgument, findAgentId } from '../find-agent.js';
import { configDiff } from '../output/config-diff.js';
import { printRecord } from '../output/record.js';
import { readAgent } from '../read-resource.js';
import { agentFields } from './agents/columns.js';

export const command = defineCommand({
  arguments: [agentArgument],
  details:
    'Opens the config in $VISUAL or $EDITOR (else vi), and saves it as a new config version. What runs ' +
    'keeps its config until the agent is deployed again. Masked secrets may stay masked: the stored ' +
    'values are kept. If somebody else saves a version meanwhile, nothing is overwritten. An edit that ' +
    'cannot be saved is kept in a file.',
  examples: [
    { command: 'edit reader', explanation: 'in your editor' },
    { command: 'deploy reader --replace --wait', explanation: 'then deploy the new config' },
  ],
  read: (input) => ({ agent: input.argument('agent') }),
  async run({ agent: named }, context) {
    const agent = await readAgent(context, await findAgentId(context, named));
    const before = `${JSON.stringify(JSON.parse(agent.config), null, 2)}\n`;
    const directory = await mkdtemp(join(tmpdir(), 'svc-edit-'));
    const file = join(directory, 'config.json');
    await writeFile(file, before, { mode: 0o600 });
    const config = await edited(context, file).catch(async (error: unknown) => {
      await rm(directory, { recursive: true });
      throw error;
    });
    if (config === before) {
      await rm(directory, { recursive: true });
      return context.terminal.note('Nothing was saved: the config has not changed');
    }
    try {
      JSON.parse(config);
    } catch {
      throw new CommandFailedError(
        `The config is not valid JSON. It is kept in ${file}; correct it, then svc agents update ${agent.id} --config @${file}`,
      );
    }
    const path = { agent_id: agent.id };
    const header = { 'If-Match': `"${agent.config_version}"` };
    const updated = await unwrap(
      context.service().PATCH('/agents/{agent_id}', { params: { path, header }, body: { config } }),
    ).catch((error: unknown) => {
      context.terminal.note(`Your edit is kept in ${file}`);
      throw error;
    });
    await rm(directory, { recursive: true });
    const { terminal } = context;
    const versions = { before, after: updated.config, isAsShown: true };
    for (const line of configDiff(versions, terminal.noteColors)) terminal.note(line);
    printRecord(context, updated, agentFields(updated, context));
  },
});

/** @returns the file's text once the editor has ended @throws CommandFailedError if it fails; UsageError without a terminal */
async function edited({ environment, terminal }: Context, file: string): Promise<string> {
  const editor = environment.VISUAL || environment.EDITOR;
  if (!editor && !terminal.isInteractive)
    throw new UsageError('There is no terminal for an editor: use svc agents update --config');
  // the variable may hold arguments, as in "code --wait"; the shell gets the file's name as an argument of its own
  const words = ['-c', `${editor || 'vi'} "$1"`, 'sh', file];
  const child = spawn('/bin/sh', words, { stdio: 'inherit', env: environment });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0)
    throw new CommandFailedError(`Nothing was saved: the editor "${editor || 'vi'}" has failed; set EDITOR`);
  return readFile(file, 'utf8');
}
