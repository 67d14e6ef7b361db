import type { NamedKind, Outline } from '../command-declaration.js';
import {
  type CompletionNode,
  type CompletionOption,
  completionNodes,
  spellings,
  valueOptions,
} from './completion-model.js';

/** A completion script for zsh, with the meaning of each word. */
export function zshCompletion(outline: Outline): string {
  const nodes = completionNodes(outline);
  const steps = nodes.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return `#compdef svc
# zsh completion for svc, made by "svc completion zsh"
_svc_names() {
  local -a found
  local line tab=$'\\t'
  for line in \${(f)"$(svc complete $1 "$PREFIX" 2> /dev/null)"}; do
    found+=("\${\${line%%$tab*}//:/\\\\:}:\${line#*$tab}")
  done
  _describe $1 found
}
_svc() {
  local steps='' word is_value='' i last=1
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    if [[ -n $is_value ]]; then
      is_value=''
      continue
    fi
    case $word in
      ${valueOptions(nodes).join('|')}) is_value=1 ;;
      -*) ;;
      *)
        case "\${steps:+$steps }$word" in
          ${steps.join('|')}) steps="\${steps:+$steps }$word" last=$i ;;
        esac
        ;;
    esac
  done
  # what stands before the command's own arguments is settled
  shift $((last - 1)) words
  ((CURRENT -= last - 1))
  local -a commands
  case $steps in
${nodes.map(nodeCase).join('\n')}
  esac
}
if [[ $funcstack[1] == _svc ]]; then _svc "$@"; else compdef _svc svc; fi
`;
}

function nodeCase(node: CompletionNode): string {
  const { path, words, options, choices, arguments: kinds } = node;
  const specs = options.flatMap(optionSpecs);
  if (words.length > 0) {
    const described = words.map(({ word, summary }) => quoted(`${word}:${summary}`));
    return `    '${path}')
      commands=(${described.join(' ')})
      _arguments ${[...specs, `'1:command:->command'`].join(' ')}
      [[ $words[CURRENT] != -* ]] && _describe command commands
      ;;`;
  }
  const named = choices.length > 0 ? [`'1:value:(${choices.join(' ')})'`] : argumentSpecs(kinds);
  return `    '${path}') _arguments ${[...specs, ...named].join(' ')} ;;`;
}

/** The last kind counts for all further arguments. */
function argumentSpecs(kinds: CompletionNode['arguments']): string[] {
  const offered = kinds.map((kind) => (kind ? namesOf(kind) : '_default'));
  const further = offered.pop() ?? '_default';
  return [...offered.map((each, at) => `'${at + 1}:argument:${each}'`), `'*:argument:${further}'`];
}

function optionSpecs(option: CompletionOption): string[] {
  const { description, takesValue, choices, completes } = option;
  const meaning = description.replaceAll(/[[\]:\\]/g, (character) => `\\${character}`);
  const offered = completes ? namesOf(completes) : '_default';
  const value = choices.length > 0 ? `:value:(${choices.join(' ')})` : `:value:${offered}`;
  return spellings(option).map((spelling) => quoted(`${spelling}[${meaning}]${takesValue ? value : ''}`));
}

/** The space keeps zsh from adding arguments. */
function namesOf(kind: NamedKind): string {
  return ` _svc_names ${kind}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
