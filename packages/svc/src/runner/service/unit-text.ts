/** The settings of a systemd unit for `svc run`. */
export interface UnitOptions {
  /** Without `.service`. */
  readonly unit: string;
  /** The program and the script of `svc`. */
  readonly program: readonly string[];
  readonly apiUrl: string;
  /** The file with the agent's key. */
  readonly keyFile: string;
  /** Account of the service; undefined: one that exists only while it runs. */
  readonly user: string | undefined;
}

/** The first line of each unit that `svc run install` has written. No other file is replaced or removed. */
export const MARK = '# Written by "svc run install"; "svc run uninstall" removes it.';

/** Longer than the longest `stop_grace_seconds`, and the last reports after it. */
const STOP_SECONDS = 150;

/** The text of the unit. Pure. */
export function unitText({ unit, program, apiUrl, keyFile, user }: UnitOptions): string {
  const state = `%S/${unit}`;
  // systemd fills in the variables, which are those that it makes for this service
  const variables = [
    '--key-file',
    '${CREDENTIALS_DIRECTORY}/agent-key',
    '--state-dir',
    '${STATE_DIRECTORY}/agent',
  ];
  return `${MARK}
[Unit]
Description=svc run, as ${unit}
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=${program.map(word).join(' ')} run ${variables.join(' ')}
Environment=${word(`SERVICE_API_URL=${apiUrl}`)}
${user === undefined ? 'DynamicUser=yes' : `User=${user}`}
# Read by root before the account is changed; the service sees its copy alone.
LoadCredential=agent-key:${keyFile.replaceAll('%', '%%')}
StateDirectory=${unit}
StateDirectoryMode=0700
# There is no other home: a login of svc is out of reach.
Environment=HOME=${state}
WorkingDirectory=${state}
UMask=0077
LimitCORE=0

Restart=always
RestartSec=5
# 2: wrong usage; 3: the key is refused for good.
RestartPreventExitStatus=2 3
# At a stop the runner alone is told: it gives its processes their grace. When it has ended, however that was, what is left of them is
# killed, because they have an account and temporary files that end with the service. The next runner starts them anew.
KillMode=mixed
TimeoutStopSec=${STOP_SECONDS}
# A process of the agent that takes too much memory ends, and is started again; the service goes on.
OOMPolicy=continue

NoNewPrivileges=yes
CapabilityBoundingSet=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectProc=invisible
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native

[Install]
WantedBy=multi-user.target
`;
}

/** A text as one word of a command or of a variable, with nothing in it that systemd fills in. */
function word(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('%', '%%')
    .replaceAll('$', () => '$$');
  return `"${escaped}"`;
}
