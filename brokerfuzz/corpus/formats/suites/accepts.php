<?php

declare(strict_types=1);

namespace BrokerContract;

/**
 * Connects the tests to your system. Complete this file. brokerfuzz creates it once and does not overwrite it.
 *
 * Returns true if your system accepts a message. Return false for a rejection: any exception counts as a crash.
 */
function accepts(string $messageType, string $body): bool
{
    throw new \Error('complete accepts() in accepts.php: send the message to your system, and return true if it accepts the message');
}
