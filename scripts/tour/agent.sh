# What an agent with a shell may do to a project within seconds. Runs only in the throw-away copy.
set -eu

# A "small refactoring": replaces a word in every source file.
find packages -name '*.ts' | while read -r file; do
  sed 's/checkpoint/snapshot/g' "$file" > "$file.new"
  cat "$file.new" > "$file"
  rm "$file.new"
done

# A "clean-up": removes documents, moves sources, replaces a folder with a file.
rm -r docs
mv packages/core/src/rewind packages/core/src/time-travel
mv README.md readme.txt
rm -r .github
echo 'moved elsewhere' > .github

# Files that git does not track: rewrites one, deletes one, makes a private one readable for all users.
echo 'TOKEN=' > .env
rm notes/idea.txt
rmdir notes/empty notes
chmod 644 secret.key
chmod 755 LICENSE package.json
ln -sf /dev/null current

# Files that it generates.
mkdir -p src/generated
for i in 1 2 3 4 5 6 7 8 9 10; do
  echo "export const value$i = $i;" > "src/generated/value-$i.ts"
done
