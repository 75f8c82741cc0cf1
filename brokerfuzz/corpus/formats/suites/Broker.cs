#nullable enable

using System;
using System.Threading.Tasks;

namespace Brokerfuzz;

/// <summary>Connects the tests to your system. Complete this file. brokerfuzz creates it once and does not overwrite it.</summary>
internal static class Broker
{
    /// <summary>
    /// Returns true if your system accepts a message. Return false for a rejection: any exception counts as a crash.
    /// </summary>
    public static Task<bool> AcceptsAsync(string messageType, byte[] body)
    {
        throw new NotImplementedException(
            "complete AcceptsAsync() in Broker.cs: send the message to your system, and return true if it accepts the message");
    }
}
