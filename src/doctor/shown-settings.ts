import { serverAddresses } from '../config/database-address.js';
import type { Settings } from '../config/settings.js';

/** Texts that are no secret. Neither are numbers, truth values and choices. Other texts appear only as "set". */
const PLAIN = [
  'NODE_ENV',
  'HOST',
  'TRUST_PROXY',
  'DATA_DIR',
  'OIDC_GROUPS_CLAIM',
  'OIDC_ACR_VALUES',
  'OIDC_AMR_VALUES',
  'TRACE_DETAIL',
  'NO_PROXY',
  'LOG_LEVEL',
  'LOG_FORMAT',
  'METRICS_HOST',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_SERVICE_NAME',
  'OTEL_TRACES_SAMPLER',
];

/** Addresses, which are shown without a login, a query and a fragment. */
const ADDRESSES = [
  'PUBLIC_URL',
  'WEB_PUBLIC_URL',
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'TELEMETRY_DATABASE_URL',
  'OIDC_ISSUER',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
];

const SHORTEST_SECRET = 6;

/** The settings for a person who must not learn a secret. */
export function shownSettings(settings: Settings): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, shown(name, value)]));
}

function shown(name: string, value: unknown): unknown {
  if (typeof value !== 'string' || value === '' || PLAIN.includes(name)) return value;
  return ADDRESSES.includes(name) ? (withoutLogin(value) ?? 'set') : 'set';
}

/** @returns undefined if it can't be read */
export function withoutLogin(address: string): string | undefined {
  const urls = serverAddresses(address).map((it) => URL.parse(it));
  const [url] = urls;
  return url ? `${url.protocol}//${urls.map((it) => it?.host).join()}${url.pathname}` : undefined;
}

/** Texts of the environment that no output may contain, whatever an error or a reply says. */
export function secretsOf(variables: Readonly<Record<string, string>>): readonly string[] {
  const texts = Object.entries(variables).flatMap(([name, value]) => {
    if (PLAIN.includes(name)) return [];
    const { username = '', password = '', searchParams } = URL.parse(serverAddresses(value)[0]!) ?? {};
    const isAddress = ADDRESSES.includes(name) || name === 'SERVICE_URL';
    if (isAddress) return [password, decoded(password), ...(searchParams?.values() ?? [])];
    return isSecretName(name) ? [value, password, username] : [];
  });
  return texts
    .filter((text) => text.length >= SHORTEST_SECRET)
    .sort((one, other) => other.length - one.length);
}

function isSecretName(name: string): boolean {
  return /SECRET|TOKEN|KEY|PASSWORD|HEADERS/.test(name);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shorter, secret) => shorter.replaceAll(secret, '***'), text);
}
