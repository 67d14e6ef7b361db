import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { hasPython, PYTHON_NEEDED } from '../python/python.js';
import { signedHeaders } from '../../src/webhooks/signed-headers.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const BODY = JSON.stringify({ type: 'deployment.running', data: { agent: { name: 'Überwachung' } } });
const MINUTE_MS = 60_000;

interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const signed = (secrets: readonly string[], ageMs = 0): Message => ({
  headers: signedHeaders('msg_1', BODY, secrets, new Date(Date.now() - ageMs)),
  body: BODY,
});

const MESSAGES: Readonly<Record<string, Message & { readonly isGenuine: boolean }>> = {
  'as it was signed': { ...signed([SECRET]), isGenuine: true },
  'of four minutes ago': { ...signed([SECRET], 4 * MINUTE_MS), isGenuine: true },
  'with the signature of another secret first': { ...signed([OTHER_SECRET, SECRET]), isGenuine: true },
  'with another body': { ...signed([SECRET]), body: `${BODY} `, isGenuine: false },
  'under another secret': { ...signed([OTHER_SECRET]), isGenuine: false },
  'of six minutes ago': { ...signed([SECRET], 6 * MINUTE_MS), isGenuine: false },
  'of six minutes ahead': { ...signed([SECRET], -6 * MINUTE_MS), isGenuine: false },
};

/** A program that reads all messages as JSON, and prints for each in a line whether it is genuine. */
const PROGRAMS: Readonly<Record<string, (block: string) => readonly [string, ...string[]]>> = {
  js: (block) => [
    process.execPath,
    '--input-type=module',
    '-e',
    `${block}
    const messages = JSON.parse(process.env.MESSAGES);
    for (const { headers, body } of messages) console.log(isGenuine(process.env.SECRET, headers, Buffer.from(body)));`,
  ],
  python: (block) => [
    'python3',
    '-c',
    `${block}
import json, os
for message in json.loads(os.environ["MESSAGES"]):
    genuine = is_genuine(os.environ["SECRET"], message["headers"], message["body"].encode())
    print("true" if genuine else "false")`,
  ],
};

async function blockOf(language: string): Promise<string> {
  const page = await readFile('docs/webhooks.md', 'utf8');
  const section = page.slice(page.indexOf('## Verify the signature'), page.indexOf('## Answer a message'));
  const block = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(section)?.[1];
  if (!block) throw new Error(`No block of ${language} verifies a signature`);
  return block;
}

function run([program, ...parameters]: readonly [string, ...string[]]): Promise<string> {
  const messages = Object.values(MESSAGES);
  const env = {
    ...process.env,
    SECRET,
    MESSAGES: JSON.stringify(messages),
  };
  return new Promise((resolve, reject) => {
    execFile(program, parameters, { env }, (error, stdout, stderr) =>
      error ? reject(new Error(stderr, { cause: error })) : resolve(stdout),
    );
  });
}

describe('The code on the page about webhooks', () => {
  const tellsMessagesApart = async (language: string) => {
    const said = await run(PROGRAMS[language]!(await blockOf(language)));
    const verdicts = said.trim().split('\n');
    const expected = Object.entries(MESSAGES).map(([name, { isGenuine }]) => [name, String(isGenuine)]);
    expect(Object.keys(MESSAGES).map((name, index) => [name, verdicts[index]])).toEqual(expected);
  };

  it('accepts genuine messages and no others: js', () => tellsMessagesApart('js'));

  (hasPython ? it : it.skip)(`accepts genuine messages and no others: python ${PYTHON_NEEDED}`, () =>
    tellsMessagesApart('python'),
  );
});
