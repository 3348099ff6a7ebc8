import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../src/code/languages/table.ts';
import { resolved } from './summary.ts';

type Case = readonly [importer: string, from: string, leadsTo: string];

/** For each language: the files, and where imports lead. */
const TREES: Readonly<
  Record<string, { readonly files: Readonly<Record<string, string>>; readonly cases: readonly Case[] }>
> = {
  go: {
    files: {
      'go.mod': 'module example.com/shop\n\ngo 1.22\n',
      'main.go': '',
      'other.go': '',
      'main_test.go': '',
      'money/money.go': '',
      'money/tax.go': '',
      'money/money_test.go': '',
      'tools/go.mod': '// Deprecated\nmodule example.com/shop/tools // comment\n',
      'tools/gen/gen.go': '',
    },
    cases: [
      ['main.go', 'example.com/shop/money', 'money/money.go money/tax.go'],
      ['main.go', 'example.com/shop/gone', 'missing'],
      ['main.go', 'example.com/shop', 'main.go other.go'],
      ['main.go', 'example.com/shop/tools/gen', 'tools/gen/gen.go'],
      ['main.go', 'example.com/shopping', 'outside'],
      ['main.go', 'fmt', 'outside'],
      ['main.go', '.', 'other.go'],
      ['main_test.go', '.', 'main.go other.go'],
      ['tools/gen/gen.go', '.', 'unknown'],
    ],
  },
  rust: {
    files: {
      'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\n\n[package]\nname = "shop"\n',
      'src/lib.rs': '',
      'src/money.rs': '',
      'src/money/tax.rs': '',
      'src/cart/mod.rs': '',
      'src/cart/item.rs': '',
      'tests/all.rs': '',
      'tests/util.rs': '',
      'crates/core-lib/Cargo.toml': '[package]\nversion = "1.0.0"\nname = "core-lib"\n',
      'crates/core-lib/src/lib.rs': '',
      'crates/core-lib/src/deep.rs': '',
    },
    cases: [
      ['src/lib.rs', 'mod::money', 'src/money.rs'],
      ['src/lib.rs', 'mod::gone', 'missing'],
      ['src/money.rs', 'mod::tax', 'src/money/tax.rs'],
      ['src/cart/mod.rs', 'mod::item', 'src/cart/item.rs'],
      ['src/cart/item.rs', 'super', 'src/cart/mod.rs'],
      ['src/cart/item.rs', 'super::super', 'src/lib.rs'],
      ['src/money/tax.rs', 'super', 'src/money.rs'],
      ['src/money/tax.rs', 'crate::cart::item', 'src/cart/item.rs'],
      ['src/money/tax.rs', 'crate', 'src/lib.rs'],
      ['src/money/tax.rs', 'crate::cart::Enum', 'unknown'],
      ['tests/all.rs', 'shop::money', 'src/money.rs'],
      ['tests/all.rs', 'mod::util', 'tests/util.rs'],
      ['src/lib.rs', 'core_lib::deep', 'crates/core-lib/src/deep.rs'],
      ['src/lib.rs', 'std::fmt', 'outside'],
    ],
  },
  java: {
    files: {
      'app/src/main/java/com/example/Shop.java': '',
      'app/src/main/java/com/example/Cart.java': '',
      'app/src/test/java/com/example/ShopTest.java': '',
      'lib/src/main/java/com/example/money/Price.java': '',
    },
    cases: [
      [
        'app/src/main/java/com/example/Shop.java',
        'com.example.money.Price',
        'lib/src/main/java/com/example/money/Price.java',
      ],
      [
        'app/src/main/java/com/example/Shop.java',
        'com.example.money.Price.Rate',
        'lib/src/main/java/com/example/money/Price.java',
      ],
      [
        'app/src/main/java/com/example/Shop.java',
        'com.example.money',
        'lib/src/main/java/com/example/money/Price.java',
      ],
      ['app/src/main/java/com/example/Shop.java', 'com.example.money.Gone', 'missing'],
      ['app/src/main/java/com/example/Shop.java', 'java.util.List', 'outside'],
      [
        'app/src/test/java/com/example/ShopTest.java',
        '.',
        'app/src/main/java/com/example/Shop.java app/src/main/java/com/example/Cart.java',
      ],
    ],
  },
  c: {
    files: { 'src/main.c': '', 'src/shop.h': '', 'include/shop/money.h': '', 'deps/a/x.h': '', 'deps/b/x.h': '' },
    cases: [
      ['src/main.c', 'shop.h', 'src/shop.h'],
      ['src/main.c', '../include/shop/money.h', 'include/shop/money.h'],
      ['src/main.c', '<shop/money.h>', 'include/shop/money.h'],
      ['src/main.c', 'x.h', 'unknown'],
      ['deps/a/y.c', 'x.h', 'deps/a/x.h'],
      ['src/main.c', '<stdio.h>', 'outside'],
      ['src/main.c', 'config.h', 'unknown'],
      ['src/main.c', '../../../etc/passwd', 'unknown'],
    ],
  },
  csharp: {
    files: { 'Shop.cs': '' },
    cases: [
      ['Shop.cs', 'System.Linq', 'outside'],
      ['Shop.cs', 'Example.Money', 'unknown'],
    ],
  },
  ruby: {
    files: { 'lib/shop.rb': '', 'lib/shop/cart.rb': '', 'test/helper.rb': '', 'test/cart_test.rb': '' },
    cases: [
      ['test/cart_test.rb', './helper', 'test/helper.rb'],
      ['test/cart_test.rb', './gone', 'missing'],
      ['test/cart_test.rb', 'shop/cart', 'lib/shop/cart.rb'],
      ['test/cart_test.rb', 'shop/gone', 'missing'],
      ['test/cart_test.rb', 'helper', 'test/helper.rb'],
      ['lib/shop.rb', 'json', 'outside'],
    ],
  },
  php: {
    files: {
      'composer.json':
        '{"autoload": {"psr-4": {"Example\\\\Shop\\\\": "src/"}}, "autoload-dev": {"psr-4": {"Tests\\\\": ["tests"]}}}',
      'src/Cart.php': '',
      'src/Money/Price.php': '',
      'src/Money/functions.php': '',
      'src/Money/Deep/Rate.php': '',
      'tests/CartTest.php': '',
    },
    cases: [
      ['tests/CartTest.php', 'Example\\Shop\\Cart', 'src/Cart.php'],
      ['tests/CartTest.php', 'Example\\Shop\\Money\\Price', 'src/Money/Price.php'],
      ['tests/CartTest.php', 'Example\\Shop\\Money\\Gone', 'missing'],
      ['tests/CartTest.php', 'Example\\Shop\\Money', 'unknown'],
      ['tests/CartTest.php', 'Example\\Shop\\Money\\Deep', 'unknown'],
      ['tests/CartTest.php', 'Example\\Shop\\Elsewhere\\Name', 'unknown'],
      ['tests/CartTest.php', 'Psr\\Log\\LoggerInterface', 'outside'],
      ['src/Money/Price.php', './functions.php', 'src/Money/functions.php'],
      ['src/Money/Price.php', './gone.php', 'unknown'],
    ],
  },
  'common-lisp': {
    files: { 'shop.asd': '', 'src/package.lisp': '', 'src/cart.lisp': '' },
    cases: [
      ['shop.asd', './src/cart', 'src/cart.lisp'],
      ['shop.asd', './src/gone', 'missing'],
      ['src/cart.lisp', 'money', 'unknown'],
      ['src/cart.lisp', 'cl', 'outside'],
    ],
  },
  'emacs-lisp': {
    files: {
      'lisp/shop.el': '',
      'lisp/shop-money.el': '',
      'test/shop-test.el': '',
      'a/twice.el': '',
      'b/twice.el': '',
    },
    cases: [
      ['lisp/shop.el', 'shop-money', 'lisp/shop-money.el'],
      ['test/shop-test.el', 'shop', 'lisp/shop.el'],
      ['test/shop-test.el', 'twice', 'unknown'],
      ['a/user.el', 'twice', 'a/twice.el'],
      ['lisp/shop.el', 'cl-lib', 'outside'],
    ],
  },
};

describe.each(Object.entries(TREES))('%s', (id, { files, cases }) => {
  it.each(cases)('%s: %s leads to %s', (importer, from, expected) => {
    expect(resolved(LANGUAGES.find((each) => each.id === id)!, files, importer, from)).toBe(expected);
  });
});
