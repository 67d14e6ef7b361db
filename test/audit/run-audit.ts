import { auditCommand } from '../../src/audit/audit-command.js';
import { expectNoSecretIn } from '../harness/secrets-made.js';

/** Runs the audit's command in this process. @param environment the service's settings */
export async function runAudit(environment: Record<string, string>, ...options: string[]) {
  let [output, errors] = ['', ''];
  const streams = {
    stdout: { write: (text: string) => (output += text) },
    stderr: { write: (text: string) => (errors += text) },
  };
  const code = await auditCommand(options, streams, environment);
  expectNoSecretIn('the output of the audit', output + errors);
  return { output, errors, code };
}
