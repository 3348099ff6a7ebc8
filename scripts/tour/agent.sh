# What an agent with a shell may do to a project in a few seconds. Runs in the throw-away copy only.
set -eu

# A "small refactoring": a word is replaced in every source file.
find packages -name '*.ts' | while read -r file; do
  sed 's/checkpoint/snapshot/g' "$file" > "$file.new"
  cat "$file.new" > "$file"
  rm "$file.new"
done

# A "clean-up": documents go, sources move, a folder becomes a file.
rm -r docs
mv packages/core/src/rewind packages/core/src/time-travel
mv README.md readme.txt
rm -r .github
echo 'moved elsewhere' > .github

# Files that git has never seen: one is rewritten, one is lost, a private one is opened to everybody.
echo 'TOKEN=' > .env
rm notes/idea.txt
rmdir notes/empty notes
chmod 644 secret.key
chmod 755 LICENSE package.json
ln -sf /dev/null current

# And what it makes by itself.
mkdir -p src/generated
for i in 1 2 3 4 5 6 7 8 9 10; do
  echo "export const value$i = $i;" > "src/generated/value-$i.ts"
done
