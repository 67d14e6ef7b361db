import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const run = (args: readonly string[]) => execFileSync('openssl', args, { stdio: 'ignore' });

/** Makes an authority: `<name>.crt` and `<name>.key`. @returns the path of its certificate */
export function makeAuthority(directory: string, name: string): string {
  const certificate = join(directory, `${name}.crt`);
  run([
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
    ...['-subj', `/CN=${name}`, '-keyout', join(directory, `${name}.key`), '-out', certificate],
  ]);
  return certificate;
}

/** Makes `server.crt` and `server.key`, signed by the authority, for one host name. */
export function makeServerCertificate(directory: string, authority: string, host: string) {
  const [key, request, extensions] = ['server.key', 'server.csr', 'server.ext'].map((it) =>
    join(directory, it),
  );
  const certificate = join(directory, 'server.crt');
  writeFileSync(extensions!, `subjectAltName=DNS:${host}\n`);
  run([
    ...['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', `/CN=${host}`],
    ...['-keyout', key!, '-out', request!],
  ]);
  const [ca, caKey] = ['crt', 'key'].map((it) => join(directory, `${authority}.${it}`));
  run([
    ...['x509', '-req', '-in', request!, '-CA', ca!, '-CAkey', caKey!, '-CAcreateserial', '-days', '2'],
    ...['-extfile', extensions!, '-out', certificate],
  ]);
  return { certificate, key: key! };
}
