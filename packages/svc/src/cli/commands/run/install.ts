import { lstatSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { AccountError, assertAccountExists } from '../../../runner/processes/account.js';
import { ServiceError, SystemdUnit } from '../../../runner/service/systemd.js';
import { unitText } from '../../../runner/service/unit-text.js';
import { assertParentsAreSafe, UnsafeDirectoryError } from '../../../runner/state-directory.js';
import { agentKeyOf, keyFileOption } from '../../agent-key.js';
import { defineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { CommandFailedError, UsageError } from '../../failures.js';
import { filled } from '../../option-values.js';
import { assertRoot, SCRIPT, serviceNameOption, unitOf } from '../../service-options.js';

/** Directories that ProtectHome and PrivateTmp hide from a service. */
const HIDDEN = ['/home/', '/root/', '/run/user/', '/tmp/', '/var/tmp/'];
const ROOT = 0;
const OTHERS = 0o077;

interface InstallOptions {
  readonly keyFile: string;
  readonly name: string | undefined;
  readonly user: string | undefined;
  readonly prints: boolean;
}

export const command = defineCommand<InstallOptions>({
  options: [
    { ...keyFileOption, description: "the file with the agent's key, owned by root and closed to others" },
    serviceNameOption,
    {
      flags: '--user <account>',
      description: 'run it as this account (default: a temporary one of its own)',
      parse: filled,
    },
    { flags: '--print', description: 'print the systemd unit, and install nothing' },
  ],
  details:
    'Installs svc run as a systemd service that starts with the machine, without a login, a home ' +
    'directory or rights to change the system. The policy /etc/svc/run.yaml applies to it. Needs root.',
  examples: [
    { command: 'run install --key-file /etc/svc/agent.key --print', explanation: 'shows the unit' },
    { command: 'run install --key-file /etc/svc/agent.key --name reader', explanation: 'as root' },
  ],
  read: (input) => {
    const keyFile = input.text('key-file');
    if (keyFile === undefined)
      throw new UsageError(
        "Give --key-file with the file that holds the agent's key; svc api-keys create makes one",
      );
    if (/\p{Cc}/u.test(keyFile)) throw new UsageError('--key-file must have no control characters');
    return {
      keyFile: resolve(keyFile),
      name: input.text('name'),
      user: input.text('user'),
      prints: input.flag('print'),
    };
  },
  async run(options, context) {
    const { keyFile, name, user, prints } = options;
    const { terminal, environment, address } = context;
    const unit = unitOf(name);
    try {
      if (user !== undefined) assertAccountExists(user, environment);
      const program = [process.execPath, SCRIPT].map((path) => realpathSync(path));
      const text = unitText({ unit, program, apiUrl: address.url, keyFile, user });
      const hidden = program.find((path) => HIDDEN.some((directory) => path.startsWith(directory)));
      const advice = `The service could not start ${hidden}, which is out of its sight: install Node and svc for all users, below /usr or /opt`;
      if (prints) {
        terminal.print(text.trimEnd());
        if (hidden !== undefined) terminal.note(advice);
        return 0;
      }
      assertRoot(wordsOf(options));
      if (hidden !== undefined) throw new CommandFailedError(advice);
      await assertKey(keyFile, context);
      const service = new SystemdUnit(unit, environment);
      await service.install(text);
      terminal.print(`Installed ${service.path}, and started it: journalctl -u ${unit} shows what it does`);
      return 0;
    } catch (error) {
      const isKnown =
        error instanceof ServiceError ||
        error instanceof AccountError ||
        error instanceof UnsafeDirectoryError;
      throw isKnown ? new CommandFailedError(error.message) : error;
    }
  },
});

/** @throws CommandFailedError, UnsafeDirectoryError if another account than root could read or replace it, or it holds no key */
async function assertKey(keyFile: string, context: Context): Promise<void> {
  const stats = lstatSync(keyFile, { throwIfNoEntry: false });
  if (!stats?.isFile())
    throw new CommandFailedError(`${keyFile} is not a file: it should contain the agent's key`);
  if (stats.uid !== ROOT || (stats.mode & OTHERS) !== 0)
    throw new CommandFailedError(
      `${keyFile} can be read by others than root: run chown root ${keyFile} and chmod 600 ${keyFile}`,
    );
  assertParentsAreSafe(keyFile);
  await agentKeyOf({ agentId: undefined, keyFile }, context, { stateDir: undefined, maker: 'svc run' });
}

function wordsOf({ keyFile, name, user }: InstallOptions): string[] {
  const named = name === undefined ? [] : ['--name', name];
  const as = user === undefined ? [] : ['--user', user];
  return ['run', 'install', '--key-file', keyFile, ...named, ...as];
}
