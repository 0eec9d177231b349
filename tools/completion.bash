# SPDX-License-Identifier: MIT
# Completion of the tools for bash. Options and messages come from the tools themselves, so that
# this stays right when they change. Where nothing is offered, bash completes file names.

_sbpkit() {
  local tool=$1 word=$2 option=$3 first='' words
  # bash takes --option=value for three words.
  if [[ $word == = ]]; then
    word=
  elif [[ $option == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case $option in
  --error-handler) words='skip return to-invalid' ;;
  --fail-on) words='fault never' ;;
  --sort) words='messages bytes rate gap name id' ;;
  --track) words='gpx geojson' ;;
  --split) words='size= time= type' ;;
  --include | --exclude | --describe)
    words=$("$tool" --describe 2>/dev/null | awk 'NR > 1 { print $4 }')
    if [[ $word == *,* ]]; then
      first=${word%,*},
      word=${word##*,}
    fi
    ;;
  -o | --output | --report | --schema | --sender | --first | --range | --from | --to | --every | --splits) return ;;
  *)
    if [[ ${tool##*/} == sbp2csv && $word == MSG* ]]; then
      words=$("$tool" --describe 2>/dev/null | awk 'NR > 1 { print $4 }')
    elif [[ $word != -* ]]; then
      return
    else
      words=$("$tool" --help 2>/dev/null | grep -o -e '--[a-z0-9-]*' | sort -u)
    fi
    ;;
  esac
  mapfile -t COMPREPLY < <(compgen -P "$first" -W "$words" -- "$word")
}

complete -o bashdefault -o default -F _sbpkit sbp2json json2sbp json2json sbpcat sbpinfo sbp2csv
