import type { CommandOption } from '../../command-declaration.js';
import type { CommandInput } from '../../command.js';
import { integer } from '../../option-values.js';

export const deployOptions: readonly CommandOption[] = [
  {
    flags: '--config-version <number>',
    description: 'a version of the configuration (default: the newest); "svc agents configs" lists them',
    parse: integer(1),
  },
  {
    flags: '--replace',
    description: 'stop the other active deployments once this one is ready; if it fails, they keep running',
  },
];

/** Options of a new deployment. */
export interface DeployRequest {
  readonly config_version: number | undefined;
  readonly replaces: 'none' | 'active';
}

export function readDeployRequest(input: CommandInput): DeployRequest {
  return {
    config_version: input.number('config-version'),
    replaces: input.flag('replace') ? 'active' : 'none',
  };
}
