/**
 * Returns the command line that starts RUNNER. The script is base64, so it has no character that is special to a shell.
 * @param node path of node
 */
export function runnerLine(node: string): string {
  return `exec ${node} -e 'eval(Buffer.from("${Buffer.from(RUNNER).toString('base64')}","base64").toString())'`;
}

/**
 * The script that runs in the sandbox. It is passed to node on the command line, so nothing has to be installed there.
 * It receives one request as a line of JSON and answers in lines of ASCII, so bytes survive any channel:
 *
 * - in: the request in base64; any number of `i BASE64`; `.` to execute it; optionally `stop`. The end of the input
 *   means that the connection was lost, so the runner ends the command.
 * - out: `savepoint NONCE VERSION` first; `o BASE64` and `e BASE64` for outputs; finally `x JSON`.
 *
 * It runs on any version of node, so that it can report a version that is too old.
 */
const RUNNER = String.raw`
var fs = require('fs'), path = require('path'), spawn = require('child_process').spawn;
var GRACE = 2000, LOOK = 20, PART = 49152;
var pending = '', request = null, given = [], stop = null, over = false;

function say(kind, text, then) { process.stdout.write(kind + ' ' + text + '\n', then); }
function end(answer) {
  if (over) return;
  over = true;
  say('x', JSON.stringify(answer), function () { process.exit(0); });
}
function fail(error, at) { end({ failed: String((error && error.code) || 'EIO'), at: at }); }
function bytes(text) { return Buffer.from(text, 'base64'); }

function take(line) {
  if (request === null) {
    request = JSON.parse(bytes(line).toString());
    say('savepoint', request.nonce + ' ' + process.versions.node);
  } else if (line === '.') {
    try { DO[request.what](Buffer.concat(given)); } catch (error) { fail(error, 'path'); }
  } else if (line === 'stop') {
    if (stop) stop('aborted');
  } else given.push(bytes(line.slice(2)));
}

var DO = {
  read: function () {
    var fd = fs.openSync(bytes(request.path), fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    var stat = fs.fstatSync(fd);
    if (stat.isDirectory()) return fail({ code: 'EISDIR' }, 'path');
    if (!stat.isFile()) return fail({ code: 'EINVAL' }, 'path');
    var part = Buffer.alloc(PART), got = 0, all = 0;
    while ((got = fs.readSync(fd, part, 0, PART, null)) > 0) {
      all += got;
      if (all > request.most) return fail({ code: 'EFBIG' }, 'path');
      say('o', part.slice(0, got).toString('base64'));
    }
    end({});
  },

  write: function (content) {
    var target = bytes(request.path);
    folders(parent(target));
    try { target = fs.realpathSync(target, 'buffer'); } catch (error) { if (error.code !== 'ENOENT') throw error; }
    var old = null;
    try { old = fs.statSync(target); } catch (error) { if (error.code !== 'ENOENT') throw error; }
    if (old !== null && old.isDirectory()) return fail({ code: 'EISDIR' }, 'path');
    if (old !== null && !old.isFile()) return fail({ code: 'EINVAL' }, 'path');
    var made = Buffer.concat([parent(target), Buffer.from('/.savepoint-write-' + request.nonce)]);
    var fd = fs.openSync(made, 'wx', request.mode === null ? 438 : request.mode);
    try {
      for (var at = 0; at < content.length; ) at += fs.writeSync(fd, content, at, content.length - at, at);
      if (old !== null) fs.fchmodSync(fd, old.mode & 4095);
      fs.fsyncSync(fd);
      fs.closeSync(fd);
      fs.renameSync(made, target);
    } catch (error) {
      fs.unlinkSync(made);
      throw error;
    }
    end({});
  },

  run: function (input) {
    var cwd = request.cwd === null ? undefined : bytes(request.cwd).toString();
    var env = Object.assign({}, process.env, request.env);
    var child, kept = { o: [], e: [] }, left = request.most, why = 'exit', timer = null, flushing = null, ending = null;
    function flush() {
      flushing = null;
      ['o', 'e'].forEach(function (kind) {
        var all = Buffer.concat(kept[kind]);
        kept[kind] = [];
        for (var at = 0; at < all.length; at += PART) say(kind, all.slice(at, at + PART).toString('base64'));
      });
    }
    function hear(kind) {
      return function (part) {
        var taken = part.slice(0, left);
        left -= taken.length;
        if (taken.length > 0) kept[kind].push(taken);
        if (taken.length < part.length) stop('too-much');
        if (flushing === null) flushing = setTimeout(flush, 10);
      };
    }
    function send(signal) {
      try { process.kill(-child.pid, signal); return true; } catch (error) { return error.code === 'EPERM'; }
    }
    function gone(ms, then) {
      if (ms <= 0 || !send(0)) then(); else setTimeout(gone, LOOK, ms - LOOK, then);
    }
    stop = function (reason) {
      if (ending !== null) return;
      why = reason;
      ending = [];
      send('SIGTERM');
      gone(GRACE, function () {
        send('SIGKILL');
        gone(500, function () {
          child.stdout.destroy();
          child.stderr.destroy();
          var waiting = ending;
          ending = { push: function (then) { then(); } };
          waiting.forEach(function (then) { then(); });
        });
      });
    };
    try {
      child = spawn(request.command[0], request.command.slice(1), { cwd: cwd, env: env, detached: true });
    } catch (error) { return fail(error, 'program'); }
    child.on('error', function (error) {
      if (child.pid !== undefined) return;
      var at = 'program';
      if (cwd !== undefined && !(fs.existsSync(cwd) && fs.statSync(cwd).isDirectory())) at = 'cwd';
      fail(error, at);
    });
    if (child.pid === undefined) return;
    child.stdout.on('data', hear('o'));
    child.stderr.on('data', hear('e'));
    child.stdin.on('error', function () {});
    child.stdin.end(input);
    if (request.timeout !== null) timer = setTimeout(stop, request.timeout, 'timeout');
    child.on('close', function (exit, signal) {
      function finish() { clearTimeout(flushing); flush(); end({ exit: exit, signal: signal, ended: why }); }
      clearTimeout(timer);
      if (ending === null) finish(); else ending.push(finish);
    });
  }
};

function parent(target) {
  var cut = target.lastIndexOf(47);
  return cut > 0 ? target.slice(0, cut) : Buffer.from(cut < 0 ? '.' : '/');
}
function folders(folder) {
  try { fs.mkdirSync(folder); } catch (error) {
    if (error.code === 'EEXIST' || error.code === 'EISDIR') return;
    if (error.code !== 'ENOENT' || parent(folder).equals(folder)) throw error;
    folders(parent(folder));
    fs.mkdirSync(folder);
  }
}

process.stdin.on('data', function (part) {
  pending += part.toString('latin1');
  for (var at; (at = pending.indexOf('\n')) >= 0; ) {
    var line = pending.slice(0, at);
    pending = pending.slice(at + 1);
    take(line);
  }
});
process.stdin.on('end', function () { if (stop) stop('aborted'); else end({ failed: 'EPIPE', at: 'path' }); });
['SIGTERM', 'SIGHUP', 'SIGINT'].forEach(function (name) {
  process.on(name, function () { if (stop) stop('aborted'); else process.exit(1); });
});
process.stdout.on('error', function () { if (stop) stop('aborted'); });
`;
