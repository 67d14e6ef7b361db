// Reads a Dockerfile, finds faults in it, and executes its steps on this machine.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { Problem } from './project.mjs';

/** The entry point, which the build does not produce. */
const ENTRY = 'deploy/image-commands.mjs deploy/';
const LONGEST_STEP_MS = 5 * 60_000;

/**
 * @typedef {{ from: string, name: string, instructions: { word: string, text: string }[] }} Stage
 * @param {string} text
 * @returns {Stage[]}
 */
export function stagesOf(text) {
  const lines = text
    .replace(/^[ \t]*#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n');
  const stages = [];
  for (const line of lines.map((it) => it.trim()).filter(Boolean)) {
    const [, word, rest] = /^(\S+)\s+(\S.*)$/.exec(line) ?? [];
    if (word === 'FROM') {
      const [from, , name] = rest.split(/\s+/);
      stages.push({ from, name: name ?? String(stages.length), instructions: [] });
    } else {
      stages.at(-1).instructions.push({ word, text: rest });
    }
  }
  return stages;
}

function texts(stage, word) {
  return stage.instructions.filter((it) => it.word === word).map((it) => it.text);
}

/** Finds faults. @returns {string[]} one sentence for each */
export function faultsOf(stages) {
  const last = stages.at(-1);
  const all = stages.flatMap((stage) => stage.instructions);
  const [user] = texts(last, 'USER');
  const expectations = [
    [stages.every((it) => /^node:24(-|$)/.test(it.from)), 'every stage stands on the official node:24 image'],
    [user && !/^(root|0)\b/.test(user), 'the service does not run as root'],
    [texts(last, 'HEALTHCHECK').length === 1, 'one HEALTHCHECK'],
    [programOf(last)?.[0] === 'node', 'ENTRYPOINT is node itself, and CMD names the program'],
    [/NODE_ENV=production/.test(texts(last, 'ENV').join()), 'NODE_ENV=production'],
    [/HOST=0\.0\.0\.0/.test(texts(last, 'ENV').join()), 'HOST=0.0.0.0'],
    [
      texts(last, 'COPY').every(
        (it) => it.startsWith('--from=') || it === 'package.json openapi.json ./' || it === ENTRY,
      ),
      'only results are copied',
    ],
    [all.every((it) => it.word !== 'ADD'), 'no ADD'],
    [
      all.every((it) => !/^(ARG|ENV)$/.test(it.word) || !/SECRET|PASSWORD|TOKEN/i.test(it.text)),
      'no secret in it',
    ],
    [all.every((it) => !/npm (i|install)\b/.test(it.text)), 'npm ci, not npm install'],
    [texts(last, 'RUN').length === 0, 'nothing runs in the last stage'],
  ];
  return expectations.filter(([holds]) => !holds).map(([, expectation]) => expectation);
}

/** Words of the process that a container of the image starts with `command`, by default the image's own. */
export function programOf(stage, command = commandOf(texts(stage, 'CMD')[0])) {
  return [...commandOf(texts(stage, 'ENTRYPOINT')[0]), ...command];
}

/** The words of an instruction in its JSON form, whose options (`--interval=10s`, `CMD`) may come first. */
export function commandOf(text) {
  try {
    return JSON.parse(text.slice(text.indexOf('[')));
  } catch {
    throw new Problem(`Not in the JSON form: ${text}`);
  }
}

export function environmentOf(stage) {
  return Object.fromEntries(
    texts(stage, 'ENV')
      .flatMap((it) => it.split(/\s+/))
      .map((it) => it.match(/^([^=]+)=(.*)$/).slice(1)),
  );
}

/**
 * Whether .dockerignore excludes a path. Supports only files that exclude everything but `!` lines, less `**` patterns and
 * folders.
 */
function isIgnored(ignore, path) {
  const rules = ignore.split('\n').filter((it) => it && !it.startsWith('#'));
  const named = rules.filter((it) => it.startsWith('!')).map((it) => it.slice(1));
  const suffixes = rules.filter((it) => it.startsWith('**/*')).map((it) => it.slice('**/*'.length));
  const folders = rules.filter((it) => /^[\w.]/.test(it));
  const isBelow = (it) => path === it || path.startsWith(`${it}/`);
  return !named.some(isBelow) || folders.some(isBelow) || suffixes.some((it) => path.endsWith(it));
}

/**
 * Executes COPY and RUN of each stage in a separate folder below `work`.
 *
 * @param {Stage[]} stages
 * @param {{ context: string, ignore: string, work: string, env: NodeJS.ProcessEnv }} options
 * @returns {string} the folder of the last stage's WORKDIR
 */
export function replay(stages, { context, ignore, work, env }) {
  let directory = work;
  for (const stage of stages) {
    const stageRoot = join(work, stage.name);
    directory = stageRoot;
    mkdirSync(stageRoot, { mode: 0o755 });
    for (const { word, text } of stage.instructions) {
      if (word === 'WORKDIR') {
        directory = join(stageRoot, text);
        mkdirSync(directory, { recursive: true });
      } else if (word === 'COPY') {
        copy(text, { context, ignore, work, directory });
      } else if (word === 'RUN') {
        const { status, signal, stdout, stderr } = spawnSync('sh', ['-c', text], {
          cwd: directory,
          env,
          encoding: 'utf8',
          timeout: LONGEST_STEP_MS,
        });
        if (status !== 0) throw new Problem(`RUN ${text} (${signal ?? status})\n${stdout}${stderr}`);
      }
    }
  }
  return directory;
}

function copy(text, { context, ignore, work, directory }) {
  const words = text.split(/\s+/);
  const stage = words[0].startsWith('--from=') ? words.shift().slice('--from='.length) : undefined;
  const target = words.pop();
  for (const source of words) {
    const from = stage ? join(work, stage, source) : join(context, source);
    if (!existsSync(from)) throw new Problem(`COPY ${text}: there is no ${source}`);
    if (!stage && isIgnored(ignore, source)) throw new Problem(`COPY ${text}: .dockerignore leaves it out`);
    const into =
      target.endsWith('/') && !statSync(from).isDirectory() ? join(target, basename(source)) : target;
    cpSync(from, join(directory, into), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (file) =>
        stage !== undefined || statSync(file).isDirectory() || !isIgnored(ignore, relative(context, file)),
    });
    chmodSync(directory, 0o755);
  }
}

/** Bytes of all files below a folder. */
export function sizeOf(directory) {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((it) => it.isFile())
    .reduce((sum, it) => sum + statSync(join(it.parentPath, it.name)).size, 0);
}
