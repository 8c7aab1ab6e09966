# Completion of percuss for bash: installed as share/bash-completion/completions/percuss; or eval "$(percuss complete)".
# The program itself says what may follow: the first line "files" or "words", then one a line.
_percuss()
{
  local line=${COMP_LINE:0:COMP_POINT} kind word head IFS=$'\n'

  mapfile -t COMPREPLY < <("$1" complete "$line" 2> /dev/null)
  kind=${COMPREPLY[0]-}
  COMPREPLY=("${COMPREPLY[@]:1}")
  # bash breaks words at = and : and wants only what follows
  word=${line##*[[:space:]]}
  head=${word%"${word##*[=:]}"}
  COMPREPLY=("${COMPREPLY[@]#"$head"}")
  if [[ $kind == files ]]; then
    compopt -o filenames 2> /dev/null
  elif [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=.] ]]; then
    compopt -o nospace 2> /dev/null
  fi
}
complete -F _percuss percuss
