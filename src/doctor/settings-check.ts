import { readSettings, SETTING_NAMES, type Settings, SettingsError } from '../config/settings.js';
import { nearestName } from '../http/nearest-name.js';
import { type Finding, findingsOf } from './finding.js';

const { ok, warn, failed } = findingsOf('settings');

/** Shorter names resemble too many others: PORT and SORT. */
const LONG_NAME = 8;

/** As {@link nearestName} compares them. */
const LOWER_NAMES = SETTING_NAMES.map((name) => name.toLowerCase());

type Variables = Readonly<Record<string, string>>;

/** @returns the settings, if they are such that the service starts */
export function checkSettings(variables: Variables): {
  readonly settings: Settings | undefined;
  readonly findings: readonly Finding[];
} {
  try {
    const settings = readSettings(variables);
    const warnings = [...misspelled(variables), ...unwise(settings)];
    const given = SETTING_NAMES.filter((name) => name in variables).length;
    const all = ok(`${given} of ${SETTING_NAMES.length} are set, and valid`);
    return { settings, findings: [all, ...warnings] };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const finding = failed(error.message, 'correct them (docs/settings.md); the other checks need them');
    return { settings: undefined, findings: [finding] };
  }
}

function misspelled(variables: Variables): Finding[] {
  return Object.keys(variables)
    .filter(
      (name) => /^[A-Z][A-Z\d_]+$/.test(name) && name.length >= LONG_NAME && !SETTING_NAMES.includes(name),
    )
    .map((name) => ({ name, meant: nearestName(name, LOWER_NAMES) }))
    .filter(({ meant }) => meant !== null)
    .map(({ name, meant }) =>
      warn(`${name} is not a setting, and is ignored`, `rename it ${meant!.toUpperCase()}, if that is meant`),
    );
}

/** Values that are allowed, and regretted later. */
function unwise(settings: Settings): Finding[] {
  if (settings.embedded) return [];
  const findings: Finding[] = [];
  if (settings.JWT_SECRET === '') {
    findings.push(
      warn(
        'JWT_SECRET is not set, so each instance generates its own, and refuses the tokens of the others',
        'set it to the same 32 bytes or more for all instances: openssl rand -base64 48',
      ),
    );
  }
  if (settings.PUBLIC_URL === '') {
    findings.push(
      warn(
        "PUBLIC_URL is not set: links in replies are paths, and assistants can't sign in",
        'set it to the public address of the service',
      ),
    );
  }
  return findings;
}
