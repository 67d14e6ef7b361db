import type { Outline } from '../command-declaration.js';
import { type CompletionNode, completionNodes, spellings, valueOptions } from './completion-model.js';

/** A completion script for bash. Values without a list of their own are completed as file names. */
export function bashCompletion(outline: Outline): string {
  const nodes = completionNodes(outline);
  const steps = nodes.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return `# bash completion for svc, made by "svc completion bash"
_svc() {
  # readline ends a word at a colon, which stands within names and addresses: the pieces are put together again
  local typed=() count=0 line=$COMP_LINE word i
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if ((i > 0)) && [[ $line != [[:space:]]* && ($word == :* || \${typed[count - 1]} == *:) ]]; then
      typed[count - 1]+=$word
    else
      typed[count++]=$word
    fi
    line=\${line#*"$word"}
  done
  local current=\${typed[count - 1]} previous=\${typed[count - 2]}
  local path='' is_value='' words='' names='' shown='' place=0 kinds=()
  # and what it shows already is not offered again
  if [[ $current == *:* && $COMP_WORDBREAKS == *:* ]]; then shown=\${current%"\${current##*:}"}; fi
  for ((i = 1; i < count - 1; i++)); do
    word=\${typed[i]}
    if [[ $is_value ]]; then
      is_value=''
      continue
    fi
    case $word in
      ${valueOptions(nodes).join(' | ')}) is_value=1 ;;
      -*) ;;
      *)
        case "\${path:+$path }$word" in
          ${steps.join(' | ')}) path="\${path:+$path }$word" ;;
          *) ((place++)) ;;
        esac
        ;;
    esac
  done
  COMPREPLY=()
  if [[ $is_value ]]; then
    case "$path $previous" in
${nodes.flatMap(valueCases).join('\n')}
      *) return ;;
    esac
  else
    case $path in
${nodes.map(wordCase).join('\n')}
    esac
    if ((\${#kinds[@]})); then names=\${kinds[place < \${#kinds[@]} ? place : \${#kinds[@]} - 1]}; fi
  fi
  # macOS still has a bash without mapfile; no word holds a space or a pattern
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ $names ]]; then
    while IFS=$'\\t' read -r word _; do
      COMPREPLY+=("$(printf %q "\${word#"$shown"}")")
    done < <(svc complete "$names" "$current" 2> /dev/null)
  fi
}
complete -o default -F _svc svc
`;
}

function valueCases({ path, options }: CompletionNode): string[] {
  return options
    .filter(({ choices, completes }) => choices.length > 0 || completes)
    .map((option) => {
      const patterns = spellings(option).map((spelling) => `'${path} ${spelling}'`);
      const names = option.completes ? ` names=${option.completes}` : '';
      return `      ${patterns.join(' | ')}) words='${option.choices.join(' ')}'${names} ;;`;
    });
}

function wordCase({ path, words, options, choices, arguments: kinds }: CompletionNode): string {
  const all = [...words.map(({ word }) => word), ...choices, ...options.map(({ long }) => `--${long}`)];
  const named = kinds.map((kind) => kind ?? "''").join(' ');
  return `      '${path}') words='${all.join(' ')}'${named === '' ? '' : ` kinds=(${named})`} ;;`;
}
