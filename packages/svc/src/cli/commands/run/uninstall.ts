import { ServiceError, SystemdUnit } from '../../../runner/service/systemd.js';
import { defineCommand } from '../../command.js';
import { CommandFailedError } from '../../failures.js';
import { assertRoot, serviceNameOption, unitOf } from '../../service-options.js';

interface UninstallOptions {
  readonly name: string | undefined;
}

export const command = defineCommand<UninstallOptions>({
  options: [serviceNameOption],
  details: 'Stops the service and removes its unit. Its state and the key file stay.',
  examples: [{ command: 'run uninstall --name reader', explanation: 'as root' }],
  read: (input) => ({ name: input.text('name') }),
  async run({ name }, { environment, terminal }) {
    assertRoot(['run', 'uninstall', ...(name === undefined ? [] : ['--name', name])]);
    const unit = unitOf(name);
    try {
      await new SystemdUnit(unit, environment).uninstall();
    } catch (error) {
      throw error instanceof ServiceError ? new CommandFailedError(error.message) : error;
    }
    terminal.print(`Removed ${unit}.service; its state is left in /var/lib/${unit}`);
    return 0;
  },
});
