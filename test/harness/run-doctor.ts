import { doctorCommand } from '../../src/doctor-command.js';
import type { Finding } from '../../src/doctor/finding.js';
import { expectNoSecretIn } from './secrets-made.js';

/** Runs the doctor's command in this process. @param environment the service's settings */
export async function runDoctor(environment: Readonly<Record<string, string>>, ...options: string[]) {
  let [output, errors] = ['', ''];
  const streams = {
    stdout: { write: (text: string) => (output += text) },
    stderr: { write: (text: string) => (errors += text) },
  };
  const code = await doctorCommand([...options, '--json'], streams, environment);
  expectNoSecretIn('the output of the doctor', output + errors);
  const findings = output === '' ? [] : (JSON.parse(output) as Finding[]);
  return { code, output, errors, findings };
}
