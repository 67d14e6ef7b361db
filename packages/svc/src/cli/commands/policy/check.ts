import { Admission } from '../../../runner/policy/admission.js';
import { RefusedStartError } from '../../../runner/policy/refused-start.js';
import { childEnvironment } from '../../../runner/processes/child-environment.js';
import { readProcessConfig } from '../../../runner/processes/process-config.js';
import { readAgentConfig } from '../../agent-config.js';
import { defineCommand } from '../../command.js';
import { CommandFailedError, EXIT, UsageError } from '../../failures.js';
import { integer } from '../../option-values.js';
import { printJson } from '../../output/json.js';
import { policyOption } from '../../policy-option.js';

export const command = defineCommand({
  arguments: [{ name: 'file', description: 'the config, JSON; - for standard input' }],
  options: [
    policyOption,
    { flags: '--replicas <number>', description: 'the number of replicas (default: 1)', parse: integer(1) },
  ],
  details:
    'Shows what the policies of this machine would refuse in a config, and why, as svc run would for this ' +
    'account. Needs no service. Exits with 1 if the config is refused.',
  examples: [
    { command: 'policy check config.json', explanation: 'against /etc/svc/run.yaml' },
    {
      command: 'policy check config.json --policy new.yaml --replicas 3',
      explanation: 'and against new.yaml',
    },
  ],
  read: (input) => ({
    file: input.argument('file'),
    policyFile: input.text('policy'),
    replicas: input.number('replicas') ?? 1,
  }),
  async run({ file, policyFile, replicas }, context) {
    const { terminal, environment } = context;
    const config = await readAgentConfig(file, context);
    const { policies, refusals } = judged(config, replicas, policyFile, environment);
    if (context.output === 'json')
      printJson(context, { is_allowed: refusals.length === 0, policies, refusals });
    else if (refusals.length === 0)
      terminal.print(
        policies.length === 0 ? 'Allowed: there is no policy' : `Allowed by ${policies.join(', ')}`,
      );
    else for (const refusal of refusals) terminal.print(refusal);
    return refusals.length === 0 ? EXIT.done : EXIT.refused;
  },
});

function judged(
  config: unknown,
  replicas: number,
  policyFile: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
) {
  try {
    const process = readProcessConfig(config);
    const admission = Admission.of(policyFile);
    const env = childEnvironment(environment, '', process.env, {});
    return {
      policies: admission.present(),
      refusals: admission.refusals({ config, process, replicas }, env),
    };
  } catch (error) {
    if (error instanceof RefusedStartError) throw new CommandFailedError(error.message);
    throw error instanceof Error ? new UsageError(error.message) : error;
  }
}
