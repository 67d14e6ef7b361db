import express from 'express';
import { cleanEnv, EnvError, makeExactValidator, makeValidator, str } from 'envalid';
import { PUBLIC_ADDRESS_RULE, publicAddress } from '../http-server/public-address.js';

const integer = (minimum: number, maximum: number) =>
  makeValidator<number>((input) => {
    const value = Number(input);
    if (!/^\d+$/.test(input) || value < minimum || value > maximum) {
      throw new EnvError(`must be a whole number from ${minimum} to ${maximum}`);
    }
    return value;
  });

/** The service's address; returned without a slash at its end, so that paths can be appended. */
const serviceAddress = makeValidator<string>((input) => {
  if (!/^https?:\/\//i.test(input) || !URL.canParse(input)) {
    throw new EnvError('must be an address that begins with http:// or https://');
  }
  const { username, password, search, hash } = new URL(input);
  if (username + password + search + hash !== '') {
    throw new EnvError('must be an address without a user, a query or a fragment');
  }
  return input.replace(/(?<!\/)\/+$/, '');
});

/** The dashboard's own address, with the rules of the service. */
const dashboardAddress = makeValidator<string>((input) => {
  const found = publicAddress(input);
  if (found === undefined) throw new EnvError(PUBLIC_ADDRESS_RULE);
  return found;
});

/** The value of Express's `trust proxy`; Express itself validates it. */
const trustedProxies = makeExactValidator<boolean | number | string>((input) => {
  const value =
    input === 'true' || input === 'false' ? input === 'true' : /^\d+$/.test(input) ? Number(input) : input;
  try {
    express().set('trust proxy', value);
  } catch {
    throw new EnvError(
      'must be true, false, a number of hops, or addresses and networks (loopback, linklocal, uniquelocal, 10.0.0.0/8)',
    );
  }
  return value;
});

const variables = {
  WEB_HOST: str({ default: '127.0.0.1' }),
  WEB_PORT: integer(0, 65_535)({ default: 3000 }),
  WEB_PUBLIC_URL: dashboardAddress({ default: '' }),
  SERVICE_URL: serviceAddress({ default: '' }),
  PUBLIC_URL: serviceAddress({ default: '' }),
  PORT: integer(0, 65_535)({ default: 8000 }),
  TRUST_PROXY: trustedProxies({ default: false }),
  MAX_BODY_BYTES: integer(1_024, 64 * 1024 * 1024)({ default: 1024 * 1024 }),
  DRAIN_TIMEOUT_SECONDS: integer(0, 600)({ default: 20 }),
  LOG_LEVEL: str({
    choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
  }),
  LOG_FORMAT: str({ choices: ['pretty', 'json'], default: 'json' }),
};

/** A setting is out of bounds; the message is one line that names each bad variable. */
export class WebSettingsError extends Error {}

export type WebSettings = ReturnType<typeof readWebSettings>;

/**
 * Reads the web server's environment variables. It shares a few names with the service. An empty value
 * counts as absent.
 *
 * @throws WebSettingsError when a variable is out of its bounds
 */
export function readWebSettings(environment: NodeJS.ProcessEnv = process.env) {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const {
    PORT,
    SERVICE_URL: givenUrl,
    PUBLIC_URL,
    ...values
  } = cleanEnv(given, variables, {
    reporter: ({ errors }) => {
      const problems = Object.entries(errors).map(
        ([name, error]) => `${name}: ${error?.message.replaceAll(/\s+/g, ' ')}`,
      );
      if (problems.length > 0) throw new WebSettingsError(`Invalid settings: ${problems.join('; ')}`);
    },
  });
  const SERVICE_URL = givenUrl || `http://127.0.0.1:${PORT}`;
  // agents on other machines may need another address than this server
  return Object.freeze({ ...values, SERVICE_URL, PUBLIC_URL: PUBLIC_URL || SERVICE_URL });
}
