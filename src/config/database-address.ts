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
  'target_session_attrs',
];

/** Values of `target_session_attrs` by which the service takes the primary; it never takes a standby. */
const TARGETS = ['read-write', 'primary'];

/** The part of an address that names hosts, without user and password. */
const HOSTS = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#]*)/i;

/**
 * The servers of an address, each by an address that names no other: `postgres://db-1,db-2/name` names two, as in `libpq`.
 * `pg` takes one host only.
 */
export function serverAddresses(address: string): readonly string[] {
  const [start = '', hosts = ''] = HOSTS.exec(address) ?? [];
  if (!hosts.includes(',')) return [address];
  const before = start.slice(0, start.length - hosts.length);
  return hosts.split(',').map((host) => before + host + address.slice(start.length));
}

/** Host and port of a server's address, without user and password. */
export const serverName = (address: string): string => HOSTS.exec(address)?.[1] ?? '';

/** An address of PostgreSQL, of one server or several. A message never contains a part of it but the names of its parameters. */
export const databaseAddress = makeValidator<string>((input) => {
  const [, hosts] = HOSTS.exec(input) ?? [];
  if (hosts === undefined) throw new EnvError('must begin with postgres:// or postgresql://');
  const listed = /[?&]host=([^&]*)/i.exec(input)?.[1];
  if (listed !== undefined && (hosts.includes(',') || /,|%2c/i.test(listed))) {
    throw new EnvError(
      'must name several hosts before the path, without host=: postgres://db-1,db-2:5433/name',
    );
  }
  const urls = serverAddresses(input).map(readable);
  const [url] = urls;
  if (
    !url ||
    urls.includes(null) ||
    (hosts.includes(',') && hosts.split(',').some((host) => /^(:|$)/.test(host)))
  ) {
    throw new EnvError(
      'must be an address such as postgres://user:password@host:5432/name, with special characters percent-encoded ' +
        '(% as %25)',
    );
  }
  const others = [...new Set(url.searchParams.keys())].filter((name) => !PARAMETERS.includes(name));
  if (others.length > 0) {
    throw new EnvError(
      `must not have the parameter ${others.join(', ')}: the service configures its sessions itself. Allowed: ` +
        `${PARAMETERS.join(', ')}`,
    );
  }
  const target = url.searchParams.get('target_session_attrs');
  if (target !== null && !TARGETS.includes(target)) {
    throw new EnvError(
      `must not have target_session_attrs=${target}: the service writes, so use ${TARGETS.join(' or ')}`,
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
