#pragma once

namespace sonde::test {

/// The part of a worker, for which a bench starts this program again with the word "worker". A test that has benches
/// sets it before main() begins; it does not return.
extern void (*be_own_worker)();

}  // namespace sonde::test
