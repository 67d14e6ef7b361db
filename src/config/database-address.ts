import { EnvError, makeValidator } from 'envalid';

/** Parameters of an address that say where the server is and how it is reached; the service sets those of its sessions itself. */
const PARAMETERS = [
  'host',
  'port',
  'ssl',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslnegotiation',
  'uselibpqcompat',
];

/** The part of an address that names hosts, without user and password. */
const HOSTS = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#]*)/i;

/** An address of PostgreSQL as `pg` reads it. A message never contains a part of it but the names of its parameters. */
export const databaseAddress = makeValidator<string>((input) => {
  const [, hosts] = HOSTS.exec(input) ?? [];
  if (hosts === undefined) throw new EnvError('must begin with postgres:// or postgresql://');
  if (hosts.includes(',') || /[?&]host=[^&]*(?:,|%2c)/i.test(input)) {
    throw new EnvError(
      'must name one host, and names several: use the address of a proxy that leads to the primary ' +
        '(HAProxy, PgBouncer), or a DNS name that does',
    );
  }
  const url = readable(input);
  if (!url) {
    throw new EnvError(
      'must be an address such as postgres://user:password@host:5432/name, in which other signs than letters and ' +
        'digits are percent-encoded (a % as %25)',
    );
  }
  const others = [...new Set(url.searchParams.keys())].filter((name) => !PARAMETERS.includes(name));
  if (others.length > 0) {
    throw new EnvError(
      `can't have the parameter ${others.join(', ')}: the service sets what its sessions need itself. ` +
        `An address may have ${PARAMETERS.join(', ')}`,
    );
  }
  return input;
});

function readable(input: string): URL | null {
  // Without a host, which is then in a parameter, a user is no valid part of an address.
  const url = URL.parse(input) ?? URL.parse(input.replace('@/', '@host/'));
  try {
    for (const part of [url?.username, url?.password, url?.hostname, url?.pathname])
      decodeURIComponent(part ?? '');
    return url;
  } catch {
    return null;
  }
}
