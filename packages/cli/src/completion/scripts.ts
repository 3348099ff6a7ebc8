/** The completion scripts. They ask `savepoint __complete`, so that they need not change with the commands. */

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

const BASH = `# Completion of savepoint in bash. In ~/.bashrc: eval "$(savepoint completion bash)"
_savepoint() {
  local word
  COMPREPLY=()
  while IFS= read -r -d '' word; do
    COMPREPLY+=("$word")
  done < <(command savepoint __complete bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" "$COMP_TYPE" 2>/dev/null)
}
complete -o nospace -o nosort -F _savepoint savepoint 2>/dev/null || complete -o nospace -F _savepoint savepoint
`;

const ZSH = `#compdef savepoint
# Completion of savepoint in zsh. In ~/.zshrc, after compinit: eval "$(savepoint completion zsh)"
_savepoint() {
  local -a fields values lines folders
  local value text
  fields=("\${(@0)$(command savepoint __complete zsh "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  for value text in "\${(@)fields}"; do
    [[ -n $value ]] || continue
    if [[ $value == */ ]]; then
      folders+=("$value")
    else
      values+=("$value")
      lines+=("\${(V)value}\${text:+  -- $text}")
    fi
  done
  (( \${#folders} )) && compadd -V folders -S '' -a -- folders
  (( \${#values} )) && compadd -V values -l -d lines -a -- values
}
if [[ $funcstack[1] == _savepoint ]]; then
  _savepoint "$@"
elif (( $+functions[compdef] )); then
  compdef _savepoint savepoint
fi
`;

const FISH = `# Completion of savepoint in fish. Save it as ~/.config/fish/completions/savepoint.fish
function __savepoint_complete
  set -l words (commandline -opc)
  set -l typed (commandline -ct)
  set -l word (string unescape -- $typed; or string trim -l -c '\\'"' -- $typed)
  set -l fields (command savepoint __complete fish $words[2..-1] "$word" 2>/dev/null | string split0)
  for at in (seq 1 2 (count $fields))
    set -l text $fields[(math $at + 1)]
    # A tab begins the description.
    string match -q '*\\t*' -- $fields[$at]; and continue
    printf '%s\\t%s\\0' $fields[$at] "$text"
  end | string split0
end
complete -c savepoint -f -k -a '(__savepoint_complete)'
`;

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
