import { serverAddresses, serverName } from '../config/database-address.js';
import { askForPrimary, StandbyError } from '../config/primary-client.js';
import { clientOptions, type DatabaseTarget } from '../database/data-source-options.js';
import { failureToOpen } from '../database/usable-database.js';
import { type Finding, findingsOf } from './finding.js';

const { ok, warn, failed } = findingsOf('servers');

/** Every server of an address that names several: a failover needs the standby, and a second primary takes writes that get lost. */
export async function checkServers(target: DatabaseTarget): Promise<readonly Finding[]> {
  const addresses = 'url' in target ? serverAddresses(target.url) : [];
  if (addresses.length < 2) return [];
  const config = clientOptions(target);
  const asked = await Promise.allSettled(addresses.map((address) => askForPrimary(address, config)));
  const named = asked.map((result, at) => ({ name: serverName(addresses[at]!), error: refusalOf(result) }));
  const primaries = named.filter(({ error }) => error === undefined).map(({ name }) => name);
  const standbys = named.filter(({ error }) => error instanceof StandbyError).map(({ name }) => name);
  const findings = named
    .filter(({ error }) => error !== undefined && !(error instanceof StandbyError))
    .map(({ name, error }) =>
      warn(
        `${name} can't be reached: ${failureToOpen(error)}`,
        'a failover to it would go unnoticed: start it',
      ),
    );
  if (primaries.length > 1) {
    findings.push(
      failed(
        `${primaries.join(' and ')} both accept writes`,
        'stop the former primary at once, and make it a standby of the other one: docs/ha.md',
      ),
    );
  } else if (findings.length === 0) {
    findings.push(ok(`${primaries.join()} is the primary, ${standbys.join(' and ')} a standby`));
  }
  return findings;
}

function refusalOf(result: PromiseSettledResult<unknown>): unknown {
  return result.status === 'rejected' ? result.reason : undefined;
}
