/// The script that calls functions of design documents and writes what comes of it as JSON.
///
/// It runs before a function is compiled and keeps the built-in functions that it needs, so that nothing a function
/// changes in its context changes what is written: no method is looked up on a prototype, and text is only made by
/// joining primitive strings. An error that leaves it is one of the limits.
///
/// It writes an array with an element for each document. A string is the message of an error. Otherwise a map function
/// has an array of keys and values, a filter a boolean, a reduction an array of one value, and a validation null or an
/// object with the one member `forbidden` or `unauthorized`.
enum Driver {
    /// A function of `write(text, action)`, the number of the document in work, as an array of one element, and the
    /// object with the modules, or false. It returns a function of the form, the compiled function, and the arguments.
    static let source = #"""
        (function (write, progress, library) {
            'use strict';
            const stringify = JSON.stringify, isList = Array.isArray, text = String, Failure = Error;
            const cut = Function.prototype.call.bind(String.prototype.slice);
            const find = Function.prototype.call.bind(String.prototype.indexOf);
            const owns = Function.prototype.call.bind(Object.prototype.hasOwnProperty);
            const compile = eval, modules = Object.create(null);
            const piece = 65536;
            let done = '', rows = '', isOpen = false, isWritten = false, isFull = false;

            // An error of this script, whose lines mean nothing to anybody.
            function failure(message) {
                const error = new Failure(message);
                error.line = 0;
                return error;
            }
            function put(value, action) {
                if (write(value, action)) return;
                isFull = true;
                throw failure('The output is too long.');
            }
            function putDone() {
                const value = done;
                done = '';
                put(value, 1);
            }

            // Half of a surrogate pair becomes U+FFFD: no JSON that can be stored has one.
            function mend(value) {
                let mended = '', start = 0, at = find(value, '\\');
                while (at >= 0) {
                    if (value[at + 1] === 'u' && value[at + 2] === 'd') {
                        mended += cut(value, start, at) + '\\ufffd';
                        start = at + 6;
                        at = find(value, '\\', start);
                    } else {
                        at = find(value, '\\', at + 2);
                    }
                }
                return mended + cut(value, start);
            }
            function json(value) {
                // What most rows have, without a call.
                if (typeof value === 'number') return value - value === 0 ? '' + value : 'null';
                if (value === null || value === undefined) return 'null';
                const result = stringify(value);
                if (result === undefined) return 'null';
                return find(result, '\\ud') < 0 ? result : mend(result);
            }

            function describe(error) {
                try {
                    if (typeof error !== 'object' || error === null) return cut(text(error), 0, 500);
                    if (typeof error.message !== 'string') return 'An object was thrown that is no Error.';
                    const message = cut(text(error.name) + ': ' + error.message, 0, 480);
                    const hasLine = typeof error.line === 'number' && error.line > 0;
                    return hasLine ? message + ' (line ' + error.line + ')' : message;
                } catch (second) {
                    return 'An error was thrown that has no text.';
                }
            }

            function define(name, value) {
                Object.defineProperty(globalThis, name, {value, writable: true, configurable: true});
            }
            delete globalThis.console;
            define('emit', function emit(key, value) {
                if (!isOpen) throw failure('emit() only works while a map function runs.');
                const row = json(key) + ',' + json(value);
                rows += rows === '' && !isWritten ? row : ',' + row;
                if (rows.length <= piece) return;
                if (!isWritten) putDone();
                const part = isWritten ? rows : '[' + rows;
                rows = '';
                isWritten = true;
                put(part, 0);
            });
            define('log', function log() {});
            define('isArray', function isArray(value) { return isList(value); });
            define('toJSON', function toJSON(value) { return stringify(value); });
            define('sum', function sum(values) {
                let total = 0;
                for (let i = 0; i < values.length; i++) total += values[i];
                return total;
            });

            // CommonJS modules. One is known by the names on the way to it, is run when it is first required, and may
            // be required while it runs. One that cannot be used ends the call.
            let broken = null;
            function route(name, folder) {
                const names = [];
                let count = 0, start = 0;
                name = text(name);
                for (let end = 0; start <= name.length; start = end + 1) {
                    end = find(name, '/', start);
                    if (end < 0) end = name.length;
                    const part = cut(name, start, end);
                    if (start === 0 && folder !== null && (part === '.' || part === '..')) {
                        for (; count < folder.length; count++) names[count] = folder[count];
                    }
                    if (part === '.') continue;
                    if (part !== '..') names[count++] = part;
                    else if (count > 0) names.length = --count;
                    else throw failure('It leads out of the design document.');
                }
                return names;
            }
            function lookUp(names) {
                let value = library;
                for (let i = 0; i < names.length; i++) {
                    if (typeof value !== 'object' || value === null || !owns(value, names[i])) {
                        throw failure('There is no "' + names[i] + '".');
                    }
                    value = value[names[i]];
                }
                if (typeof value !== 'string') throw failure('It is no text.');
                return value;
            }
            function compiled(source) {
                // The line of its error would be that of the call.
                try { return compile(source); } catch (error) { throw failure(text(error.message)); }
            }
            function load(name, folder) {
                const names = route(name, folder);
                let id = '';
                for (let i = 0; i < names.length; i++) id += (i > 0 ? '/' : '') + names[i];
                const known = modules[id];
                if (known !== undefined) return known.exports;
                const source = lookUp(names), own = [], module = {id, exports: {}};
                for (let i = 0; i + 1 < names.length; i++) own[i] = names[i];
                modules[id] = module;
                try {
                    const f = compiled('(function (module, exports, require) {' + source + '\n})');
                    f(module, module.exports, name => use(name, own));
                } catch (error) {
                    delete modules[id];
                    throw error;
                }
                return module.exports;
            }
            function use(name, folder) {
                try {
                    return load(name, folder);
                } catch (error) {
                    const path = cut(text(name), 0, 100);
                    broken = failure("Module require('" + path + "') raised error " + describe(error));
                    throw broken;
                }
            }
            define('require', function require(name) {
                if (library === false) {
                    throw failure('require() finds modules in map functions, filters and validations only.');
                }
                return use(name, null);
            });
            // Whether it is the error of a module, which nothing else of the call can make good.
            function endIfBroken(error) {
                if (broken === null || error !== broken) return;
                write(broken.message, 3);
                throw broken;
            }

            // A view ends with what its function throws as fatal, as in CouchDB.
            function endIfFatal(error) {
                let message = null;
                if (error === 'fatal_error') {
                    message = "map_runtime_error\nfunction raised 'fatal_error'";
                } else {
                    try {
                        if (isList(error) && error[0] === 'fatal') {
                            const name = describe(error[1]), end = find(name, '\n');
                            message = (end < 0 ? name : cut(name, 0, end)) + '\n' + describe(error[2]);
                        }
                    } catch (second) {}
                }
                if (message === null) return;
                write(message, 4);
                throw failure('The function ended its view.');
            }

            function map(f, document) {
                let thrown = null;
                rows = '';
                isWritten = false;
                isOpen = true;
                try {
                    f(document);
                } catch (error) {
                    endIfBroken(error);
                    endIfFatal(error);
                    thrown = describe(error);
                }
                isOpen = false;
                if (isFull) throw failure('The output is too long.');
                if (!isWritten) {
                    done += thrown === null ? '[' + rows + ']' : json(thrown);
                } else if (thrown === null) {
                    put(rows + ']', 1);
                } else {
                    put(json(thrown), 2);
                }
            }
            function filter(f, document, request) {
                try {
                    return f(document, request) ? 'true' : 'false';
                } catch (error) {
                    endIfBroken(error);
                    return json(describe(error));
                }
            }
            function reduce(f, keys, values, rereduce) {
                try {
                    return '[' + json(f(keys, values, rereduce)) + ']';
                } catch (error) {
                    endIfFatal(error);
                    return json(describe(error));
                }
            }
            function refusal(error) {
                try {
                    if (typeof error === 'object' && error !== null) {
                        const {forbidden, unauthorized} = error;
                        if (forbidden !== undefined) return '{"forbidden":' + json(cut(text(forbidden), 0, 500)) + '}';
                        if (unauthorized !== undefined) {
                            return '{"unauthorized":' + json(cut(text(unauthorized), 0, 500)) + '}';
                        }
                    }
                } catch (second) {}
                return json(describe(error));
            }
            function validate(f, values) {
                try {
                    f(values[0], values[1], values[2], values[3]);
                } catch (error) {
                    endIfBroken(error);
                    return refusal(error);
                }
                return 'null';
            }

            return function run(form, f, values) {
                isOpen = false;
                isFull = false;
                broken = null;
                done = '[';
                if (form === 2) {
                    done += reduce(f, values[0], values[1], values[2]);
                } else if (form === 3) {
                    done += validate(f, values);
                } else {
                    const documents = values[0], count = documents.length;
                    for (let i = 0; i < count; i++) {
                        progress[0] = i;
                        if (i > 0) done += ',';
                        if (form === 0) map(f, documents[i]); else done += filter(f, documents[i], values[1]);
                        if (done.length > piece) putDone();
                    }
                }
                done += ']';
                putDone();
            };
        })
        """#
}
