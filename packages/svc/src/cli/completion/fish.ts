import type { NamedKind, Outline } from '../command-declaration.js';
import {
  type CompletionNode,
  type CompletionOption,
  completionNodes,
  valueOptions,
} from './completion-model.js';

/** A completion script for fish, with the meaning of each word. */
export function fishCompletion(outline: Outline): string {
  const nodes = completionNodes(outline);
  const steps = nodes.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  return `# fish completion for svc, made by "svc completion fish"
function __svc_is_at -d 'Whether the words so far have led to this command'
    set -l steps
    set -l place 0
    set -l is_value 0
    for word in (commandline -opc)[2..-1]
        if test $is_value = 1
            set is_value 0
            continue
        end
        switch $word
            case ${valueOptions(nodes).join(' ')}
                set is_value 1
            case '-*'
            case '*'
                set -l further (string trim -- "$steps $word")
                if contains -- $further ${steps.join(' ')}
                    set steps $further
                else
                    set place (math $place + 1)
                end
        end
    end
    # the places of an argument, if any: the first, and the last
    test "$steps" = "$argv[1]" -a $place -ge "$argv[2]" -a $place -le "$argv[3]"
end

${nodes.flatMap(nodeLines).join('\n')}
`;
}

/** More arguments than a command line has. */
const EVER = 10_000;

function nodeLines({ path, words, options, choices, arguments: kinds }: CompletionNode): string[] {
  const between = (first: number, last: number) =>
    `complete -c svc -n ${quoted(`__svc_is_at "${path}" ${first} ${last}`)}`;
  const at = between(0, EVER);
  return [
    ...words.map(({ word, summary }) => `${at} -f -a ${word} -d ${quoted(summary)}`),
    ...(choices.length > 0 ? [`${at} -f -a ${quoted(choices.join(' '))}`] : []),
    ...kinds.flatMap((kind, place) => {
      const last = place === kinds.length - 1 ? EVER : place;
      return kind ? [`${between(place, last)} -f -a ${quoted(namesOf(kind))}`] : [];
    }),
    ...options.map((option) => `${at} ${optionOf(option)}`),
  ];
}

function optionOf({ long, short, description, takesValue, choices, completes }: CompletionOption): string {
  const spelling = `${short === undefined ? '' : `-s ${short} `}-l ${long}`;
  const offered = completes ? namesOf(completes) : choices.join(' ');
  const value = offered !== '' ? ` -x -a ${quoted(offered)}` : takesValue ? ' -r' : '';
  return `${spelling} -d ${quoted(description)}${value}`;
}

function namesOf(kind: NamedKind): string {
  return `(svc complete ${kind} (commandline -ct) 2>/dev/null)`;
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, (character) => `\\${character}`)}'`;
}
