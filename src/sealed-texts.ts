import { NIL } from 'uuid';
import { AgentConfigCipher } from './agents/agent-config-cipher.js';
import { AgentConfigsRepository, type StoredConfig } from './agents/agent-configs.repository.js';
import {
  type KeptTotpSecret,
  SecondFactorsRepository,
} from './auth/second-factor/second-factors.repository.js';
import { TotpSecretCipher } from './auth/second-factor/totp-secret-cipher.js';
import { ProviderGrantCipher } from './auth/sso/provider-grant-cipher.js';
import { type KeptGrant, ProviderGrantsRepository } from './auth/sso/provider-grants.repository.js';
import type { Settings } from './config/settings.js';
import type { Connection } from './database/transaction.js';
import { keyIdOf, sealPrefix, UnreadableTextError } from './secrets/stored-text-cipher.js';
import { type Resealed, resealAll } from './sealing/resealing.js';
import { SpanContentCipher } from './traces/span-content-cipher.js';
import { SpanContentsRepository, type StoredContent } from './traces/span-contents.repository.js';
import { SigningSecretCipher } from './webhooks/signing-secret-cipher.js';
import { type KeptSecret, WebhookSecretsRepository } from './webhooks/webhook-secrets.repository.js';

const AT_ONCE = 200;
/** No stored text begins so. */
const NO_PREFIX = sealPrefix('');

/** Stored texts of one kind that a key seals. */
export interface SealedTexts {
  /** As people say it: `configs of agents`. */
  readonly name: string;
  /** Seals all again that are not under `WEBHOOK_SECRET_KEY`. */
  reseal(): Promise<Resealed>;
  /** Opens the first ones. @returns how many could be opened, and how many could not */
  tryOut(count: number): Promise<{ readonly opened: number; readonly unreadable: number }>;
}

interface Kind<Kept> {
  readonly listNotUnder: (prefix: string, last: Kept | undefined, count: number) => Promise<readonly Kept[]>;
  /** @throws UnreadableTextError */
  readonly open: (kept: Kept) => unknown;
  /** Encrypts one again and stores it. @throws UnreadableTextError */
  readonly reseal: (kept: Kept) => Promise<void>;
}

type Keys = Pick<Settings, 'WEBHOOK_SECRET_KEY' | 'WEBHOOK_SECRET_KEY_PREVIOUS'>;

/**
 * Everything in the databases that a key seals, for programs other than the service.
 *
 * @param telemetry a connection to the telemetry's database, the same where that is the main one
 */
export function sealedTexts(
  settings: Keys,
  connection: Connection,
  telemetry: Connection,
): readonly SealedTexts[] {
  const keyId = keyIdOf(settings.WEBHOOK_SECRET_KEY);
  const inUse = { inUse: () => Promise.resolve(keyId), problem: () => Promise.resolve(null) };
  const kind = <Kept>(name: string, { listNotUnder, open, reseal }: Kind<Kept>): SealedTexts => ({
    name,
    reseal: () => resealAll({ listAfter: (last) => listNotUnder(sealPrefix(keyId), last, AT_ONCE), reseal }),
    tryOut: async (count) => triedOut(await listNotUnder(NO_PREFIX, undefined, count), open),
  });
  return [
    kind('configs of agents', configs(connection, new AgentConfigCipher(settings, inUse))),
    kind('signing secrets of webhooks', signingSecrets(connection, new SigningSecretCipher(settings, inUse))),
    kind(
      'refresh tokens of the identity provider',
      grants(connection, new ProviderGrantCipher(settings, inUse)),
    ),
    kind('secrets of one-time codes', totps(connection, new TotpSecretCipher(settings, inUse))),
    kind('contents of spans', contents(telemetry, new SpanContentCipher(settings, inUse))),
  ];
}

function triedOut<Kept>(texts: readonly Kept[], open: (kept: Kept) => unknown) {
  let unreadable = 0;
  for (const text of texts) {
    try {
      open(text);
    } catch (error) {
      if (!(error instanceof UnreadableTextError)) throw error;
      unreadable++;
    }
  }
  return { opened: texts.length - unreadable, unreadable };
}

function configs(connection: Connection, cipher: AgentConfigCipher): Kind<StoredConfig> {
  const stored = new AgentConfigsRepository(cipher);
  const first = { agentId: NIL, configVersion: 0, config: '' };
  return {
    listNotUnder: (prefix, last = first, count) => stored.listNotUnder(connection, prefix, last, count),
    open: (kept) => cipher.open(kept, kept.config),
    reseal: async (kept) =>
      stored.rewrite(connection, kept, await cipher.seal(kept, cipher.open(kept, kept.config))),
  };
}

function signingSecrets(connection: Connection, cipher: SigningSecretCipher): Kind<KeptSecret> {
  const stored = new WebhookSecretsRepository();
  const anew = (webhookId: string, text: string) => cipher.seal(webhookId, cipher.decrypt(webhookId, text));
  return {
    listNotUnder: (prefix, last, count) =>
      stored.listSecretsNotUnder(connection, prefix, last?.webhookId ?? NIL, count),
    open: ({ webhookId, secret, previousSecret }) =>
      [secret, previousSecret ?? []].flat().map((text) => cipher.decrypt(webhookId, text)),
    reseal: async (kept) => {
      const { webhookId, secret, previousSecret } = kept;
      await stored.rewriteSecret(connection, kept, {
        webhookId,
        secret: await anew(webhookId, secret),
        previousSecret: previousSecret === null ? null : await anew(webhookId, previousSecret),
      });
    },
  };
}

function grants(connection: Connection, cipher: ProviderGrantCipher): Kind<KeptGrant> {
  const stored = new ProviderGrantsRepository();
  return {
    listNotUnder: (prefix, last, count) =>
      stored.listNotUnder(connection, prefix, last?.sessionId ?? NIL, count),
    open: ({ sessionId, grant }) => cipher.open(sessionId, grant),
    reseal: async (kept) =>
      stored.rewrite(connection, kept, await cipher.sealAnew(kept.sessionId, kept.grant)),
  };
}

function totps(connection: Connection, cipher: TotpSecretCipher): Kind<KeptTotpSecret> {
  const stored = new SecondFactorsRepository();
  return {
    listNotUnder: (prefix, last, count) =>
      stored.listNotUnder(connection, prefix, last?.factorId ?? NIL, count),
    open: ({ factorId, secret }) => cipher.decrypt(factorId, secret),
    reseal: async (kept) => {
      const { factorId, secret } = kept;
      await stored.rewrite(connection, kept, await cipher.seal(factorId, cipher.decrypt(factorId, secret)));
    },
  };
}

function contents(connection: Connection, cipher: SpanContentCipher): Kind<StoredContent> {
  const stored = new SpanContentsRepository();
  const first = { agentId: NIL, timestamp: '-infinity', id: NIL, content: '' };
  return {
    listNotUnder: (prefix, last = first, count) => stored.listNotUnder(connection, prefix, last, count),
    open: (kept) => cipher.open(kept, kept.content),
    reseal: async (kept) =>
      stored.rewrite(connection, kept, await cipher.seal(kept, cipher.open(kept, kept.content))),
  };
}
