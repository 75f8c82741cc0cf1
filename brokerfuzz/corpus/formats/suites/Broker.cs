#nullable enable

using System.Collections.Generic;
using System.Threading.Tasks;

namespace Brokerfuzz;

/// <summary>What is tested, and how it is asked. This file is yours: it is written once, and kept when the corpus is written again.</summary>
internal static class Broker
{
    /// <summary>
    /// The time that the clock of what you test shows, such as "2025-06-15T12:00:00Z". A few verdicts follow the clock: those cases
    /// are left out at any other time.
    /// </summary>
    public static readonly string? Clock = null;

    /// <summary>
    /// Whether what you test accepts a message. Headers go with a request in place of its usual headers of these names (null: no such
    /// header); few cases have any. Reject by returning false: whatever is thrown counts as a crash.
    /// </summary>
    public static Task<bool> AcceptsAsync(string messageType, byte[] body, IReadOnlyList<KeyValuePair<string, string?>> headers)
    {
        throw new NotFilledInException(
            "fill in AcceptsAsync() in Broker.cs: ask what you test, and return whether it accepts the message");
    }
}
